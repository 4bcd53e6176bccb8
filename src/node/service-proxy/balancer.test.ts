import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededIds } from '../../base/ids.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { Balancer } from './balancer.ts';
import type { Endpoint } from './endpoint.ts';

const hour = 60 * 60 * 1000;
const [a, b, c] = ['10.1.0.1', '10.1.0.2', '10.1.0.3'].map((ip) => ({ ip, port: 80 })) as [
  Endpoint,
  Endpoint,
  Endpoint,
];

function open(
  endpoints: readonly Endpoint[],
  { isSticky = false, seed = 1 } = {},
): { balancer: Balancer; clock: SteppedClock } {
  const clock = new SteppedClock();
  const balancer = new Balancer({ clock, ids: seededIds(seed) });
  balancer.set({ endpoints, isSticky });
  return { balancer, clock };
}

function take(balancer: Balancer, count: number, client = 'x'): (string | undefined)[] {
  return Array.from({ length: count }, () => balancer.choose(client)?.ip);
}

describe('a balancer', () => {
  it('gives every endpoint its turn', () => {
    const { balancer } = open([a, b, c]);
    const first = take(balancer, 3);
    assert.deepEqual(new Set(first), new Set([a.ip, b.ip, c.ip]));
    assert.deepEqual(take(balancer, 3), first);
  });

  it('does not always begin with the same', () => {
    const beginnings = Array.from({ length: 20 }, (_, seed) => take(open([a, b, c], { seed }).balancer, 1)[0]);
    assert.deepEqual(new Set(beginnings), new Set([a.ip, b.ip, c.ip]));
  });

  it('leaves out what was tried, and has nothing when all were', () => {
    const { balancer } = open([a, b]);
    assert.equal(balancer.choose('x', new Set(['10.1.0.1:80'])), b);
    assert.equal(balancer.choose('x', new Set(['10.1.0.1:80', '10.1.0.2:80'])), undefined);
    assert.equal(open([]).balancer.choose('x'), undefined);
  });

  it('goes on in turn when endpoints come and go', () => {
    const { balancer } = open([a, b, c]);
    take(balancer, 3);
    balancer.set({ endpoints: [b], isSticky: false });
    assert.deepEqual(take(balancer, 2), [b.ip, b.ip]);
    assert.equal(balancer.has(a), false);
  });

  it('remembers a client for three hours after it last came', () => {
    const { balancer, clock } = open([a, b], { isSticky: true });
    const [mine, yours] = [take(balancer, 1, 'me')[0], take(balancer, 1, 'you')[0]];
    assert.notEqual(mine, yours);
    for (let i = 0; i < 4; i++) {
      clock.step(2 * hour);
      assert.deepEqual(take(balancer, 1, 'me'), [mine]);
    }
    clock.step(3 * hour);
    // The turn is where it was after the two first choices: at mine. It moves on for the other client first.
    assert.deepEqual(take(balancer, 1, 'you'), [mine]);
    assert.deepEqual(take(balancer, 1, 'me'), [yours]);
  });

  it('sends a client elsewhere when its endpoint is gone, and keeps it there', () => {
    const { balancer } = open([a, b], { isSticky: true });
    const mine = balancer.choose('me')!;
    const other = mine === a ? b : a;
    balancer.set({ endpoints: [other], isSticky: true });
    assert.equal(balancer.choose('me'), other);
    balancer.set({ endpoints: [a, b], isSticky: true });
    assert.deepEqual(take(balancer, 3, 'me'), [other.ip, other.ip, other.ip]);
  });

  it('sends a client elsewhere when its endpoint does not answer, and keeps it there', () => {
    const { balancer } = open([a, b], { isSticky: true });
    const mine = balancer.choose('me')!;
    const other = balancer.choose('me', new Set([`${mine.ip}:80`]));
    assert.notEqual(other, mine);
    assert.equal(balancer.choose('me'), other);
    balancer.forget('me');
    assert.equal(balancer.choose('me'), mine);
  });
});
