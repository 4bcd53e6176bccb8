import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { SteppedClock } from '../base/stepped-clock.ts';
import { version } from '../version.ts';
import { main } from './main.ts';

class TextSink extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    this.emit('written');
    done();
  }
}

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new TextSink(), new TextSink()];
  const stop = new AbortController().signal;
  const code = await main(args, { stdout, stderr, clock: new SteppedClock(), stop });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

describe('help', () => {
  test('lists the commands that exist and no others', async () => {
    for (const args of [[], ['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.match(stdout, /^ {2}up +start a cluster/m);
      assert.match(stdout, /^ {2}apiserver +serve the API alone/m);
      assert.match(stdout, /^ {2}controllers +run the controllers/m);
      assert.match(stdout, /^ {2}node +join nodes/m);
    }
  });

  test('of a command shows its flags with their defaults, on lines that fit', async () => {
    const { code, stdout } = await run('apiserver', '--help');
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}--secure-port N +Port to serve TLS on; 0 picks a free one\. \(default 6443\)$/m);
    assert.match(stdout, /^ {2}--memory +Keep everything/m);
    assert.doesNotMatch(stdout, /--nodes/);
    assert.equal(stdout, (await run('help', 'apiserver')).stdout);
    assert.equal(stdout, (await run('apiserver', '--secure-port', 'x', '-h')).stdout);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line);
  });
});

describe('a wrong command line', () => {
  test('ends with code 2, names the mistake and says where help is', async () => {
    const { code, stdout, stderr } = await run('apiserver', '--memry', '--secure-port', 'many');
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.equal(
      stderr,
      'wherry: there is no flag --memry; did you mean --memory?\n' +
        'wherry: --secure-port wants a whole number from 0 to 65535, not "many"\n' +
        'See "wherry apiserver --help".\n',
    );
  });

  test('with an unknown command gets a suggestion', async () => {
    const { code, stderr } = await run('apisever');
    assert.equal(code, 2);
    assert.match(stderr, /there is no command apisever; did you mean apiserver\?\nSee "wherry --help"/);
  });

  test('that starts with a flag is told to name a command', async () => {
    assert.match((await run('--memory')).stderr, /name a command before the flags/);
  });

  test('asking for what cannot be had gets an honest answer', async () => {
    for (const [args, answer] of [
      [['up', '--runtime', 'docker'], /--runtime wants/],
      [['up', '--etcd-servers', '127.0.0.1:2379'], /not a URL of an etcd/],
    ] as const) {
      const { code, stderr } = await run(...args);
      assert.equal(code, 2);
      assert.match(stderr, answer);
    }
  });
});

test('nodes that are stopped while they wait for their server end well', async () => {
  const stop = new AbortController();
  const [stdout, stderr] = [new TextSink(), new TextSink()];
  const ended = main(['node', '--server', 'http://127.0.0.1:1'], { stdout, stderr, clock: new SteppedClock(), stop: stop.signal }); // prettier-ignore
  // Its first complaint.
  await once(stderr, 'written');
  stop.abort('SIGINT');
  assert.equal(await ended, 0);
  assert.equal(stdout.text, '');
  assert.doesNotMatch(stderr.text, /^wherry:/m);
});

test('--version is the version of the package', async () => {
  const { code, stdout } = await run('--version');
  assert.equal(code, 0);
  assert.equal(stdout, `${version}\n`);
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  assert.equal(version, manifest.version);
});
