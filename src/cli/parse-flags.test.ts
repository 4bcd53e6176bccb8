import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { byteSize, choice, duration, ipAddress, ipNetwork, nameList, port, portRange, text } from './flag-values.ts';
import { flagWithDefault, optionalFlag, switchFlag, type FlagValue } from './flag.ts';
import { parseFlags } from './parse-flags.ts';
import { UsageError } from './usage-error.ts';

const about = { section: 'All', help: 'A flag.' };
const table = {
  dir: optionalFlag('data-dir', text('DIR'), about),
  memory: switchFlag('memory', about),
  port: flagWithDefault('secure-port', port, '6443', about),
  secret: optionalFlag('etcd-servers', text('URLS'), { ...about, hidden: true }),
};

function mistakesOf(...args: string[]): readonly string[] {
  try {
    parseFlags(table, args);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return error.mistakes;
  }
  throw new assert.AssertionError({ message: 'the flags were accepted' });
}

describe('flags', () => {
  test('that are not given have their initial values', () => {
    assert.deepEqual(parseFlags(table, []), { dir: undefined, memory: false, port: 6443, secret: undefined });
  });

  test('take their value behind a space or behind an equals sign', () => {
    assert.equal(parseFlags(table, ['--data-dir', '/a b']).dir, '/a b');
    assert.equal(parseFlags(table, ['--data-dir=/a=b']).dir, '/a=b');
    assert.equal(parseFlags(table, ['--data-dir', '-x']).dir, '-x');
  });

  test('given twice count the last time', () => {
    assert.equal(parseFlags(table, ['--secure-port', '1', '--secure-port=2']).port, 2);
  });

  test('that are switches are on when named, and take a value only behind an equals sign', () => {
    assert.equal(parseFlags(table, ['--memory']).memory, true);
    assert.equal(parseFlags(table, ['--memory=true']).memory, true);
    assert.equal(parseFlags(table, ['--memory', '--memory=false']).memory, false);
    assert.deepEqual(mistakesOf('--memory=maybe'), ['--memory wants true or false, not "maybe"']);
    assert.match(mistakesOf('--memory', 'true')[0] ?? '', /"true" is not a flag/);
  });

  test('that are unknown are answered with the one that was probably meant', () => {
    assert.deepEqual(mistakesOf('--secureport', '1'), ['there is no flag --secureport; did you mean --secure-port?']);
    assert.deepEqual(mistakesOf('--data_dir=x'), ['there is no flag --data_dir; did you mean --data-dir?']);
    assert.deepEqual(mistakesOf('--port=1'), ['there is no flag --port; did you mean --secure-port?']);
    assert.deepEqual(mistakesOf('--zzzzzz'), ['there is no flag --zzzzzz']);
    assert.deepEqual(mistakesOf('--constructor'), ['there is no flag --constructor']);
  });

  test('that are not advertised are not suggested but understood', () => {
    assert.deepEqual(mistakesOf('--etcd-server=x'), ['there is no flag --etcd-server']);
    assert.equal(parseFlags(table, ['--etcd-servers', 'http://x']).secret, 'http://x');
  });

  test('without their value say what they need', () => {
    assert.deepEqual(mistakesOf('--data-dir'), ['--data-dir needs a value: --data-dir DIR']);
    assert.deepEqual(mistakesOf('--data-dir', '--memory'), ['--data-dir needs a value: --data-dir DIR']);
    assert.deepEqual(mistakesOf('--data-dir='), ['--data-dir wants a value that is not empty, not ""']);
  });

  test('are all named when several are wrong', () => {
    assert.equal(mistakesOf('--secure-port', 'x', 'loose', '--', '-m', '--what', 'value').length, 5);
  });
});

function assertValues<T>(value: FlagValue<T>, good: readonly (readonly [string, T])[], bad: readonly string[]): void {
  for (const [given, meant] of good) assert.deepEqual(value.parse(given), meant, given);
  for (const given of bad) assert.throws(() => value.parse(given), { name: 'WrongValue' }, given);
}

describe('values', () => {
  test('ports are whole numbers up to 65535', () => {
    assertValues(port, [['0', 0], ['65535', 65_535]], ['', '-1', '65536', '80x', '1.5', '0x10', '1e3', ' 80']); // prettier-ignore
  });

  test('choices are one of the names', () => {
    assertValues(choice(['text', 'json']), [['json', 'json']], ['', 'JSON', 'yaml']);
  });

  test('lists have commas between their names', () => {
    assertValues(nameList, [['', []], ['A', ['A']], ['A, B', ['A', 'B']]], ['A,', ',', 'A,,B']); // prettier-ignore
  });

  test('addresses are of either family', () => {
    assertValues(ipAddress, [['0.0.0.0', '0.0.0.0'], ['::', '::']], ['', 'localhost', '1.2.3', '1.2.3.4/8', 'fe80::1%lo']); // prettier-ignore
  });

  test('networks have an address and a length', () => {
    const good = ['10.0.0.0/16', '10.0.0.0/12', '192.168.0.0/29'].map((network) => [network, network] as const);
    assertValues(ipNetwork, good, [
      '',
      '10.0.0.0',
      '10.0.0.0/',
      '10.0.0.0/8',
      '10.0.0.0/30',
      'fd00::/64',
      '10.0.0.0/16/2',
    ]);
  });

  test('port ranges go upwards', () => {
    const good = [['30000-32767', { first: 30_000, last: 32_767 }]] as const;
    assertValues(portRange, good, ['', '30000', '2-1', '0-5', '1-65536', '1-2-3', '-5']);
  });

  test('sizes may have a unit', () => {
    const good = [['0', 0], ['512', 512], ['4Ki', 4096], ['256Mi', 268_435_456], ['1Gi', 2 ** 30]] as const; // prettier-ignore
    assertValues(byteSize, good, ['', 'Mi', '1M', '1.5Gi', '-1', '999999999999Gi']);
  });

  test('spans of time have units', () => {
    const good = [['90s', 90_000], ['1h30m', 5_400_000], ['250ms', 250], ['0s', 0]] as const; // prettier-ignore
    assertValues(duration, good, ['', '5', '1 h', 'm', '1d', '-1s', '1h30']);
  });
});
