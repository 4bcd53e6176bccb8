import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LogFields, LogLevel } from '../base/logger.ts';
import { SteppedClock } from '../base/stepped-clock.ts';
import { unreachable } from '../kinds/meta/api-error.ts';
import { consoleLogger } from './console-logger.ts';

const clock = new SteppedClock(Date.UTC(2030, 0, 2, 3, 4, 5, 6));

function lines(
  format: 'text' | 'json',
  level: LogLevel = 'debug',
): ReturnType<typeof consoleLogger> & { text: string } {
  const output = {
    text: '',
    write(text: string) {
      output.text += text;
    },
  };
  const logger = consoleLogger({ output, level, format, clock });
  return Object.defineProperty({ ...logger, text: '' }, 'text', { get: () => output.text });
}

function parsed(fields: LogFields): Record<string, unknown> {
  const log = lines('json');
  log.info('m', fields);
  return JSON.parse(log.text) as Record<string, unknown>;
}

const awkward: LogFields = {
  big: 1n,
  symbol: Symbol('s'),
  absent: undefined,
  nothing: null,
  method: () => 1,
  get thrower(): string {
    throw new Error('do not look');
  },
  nested: {
    toJSON() {
      throw new Error('no JSON');
    },
  },
};

describe('text lines', () => {
  test('say when, how grave, what, and to what', () => {
    const log = lines('text');
    log.warn('slow watcher', { resource: 'pods', behind: 12, who: 'a "b"', none: undefined });
    assert.equal(log.text, '2030-01-02T03:04:05.006Z WARN  slow watcher resource=pods behind=12 who="a \\"b\\""\n');
  });

  test('are one line each, whatever is in them', () => {
    const log = lines('text');
    log.info('two\nlines\u001b[31m', { value: 'a\nb', object: { a: [1] } });
    assert.equal(log.text.split('\n').length, 2);
    assert.match(log.text, /two\\nlines\\u001b\[31m value="a\\nb" object="\{\\"a\\":\[1\]\}"/);
  });

  test('are followed by the stack and the cause of an error', () => {
    const log = lines('text');
    log.error('write failed', { error: new Error('outer', { cause: new Error('inner reason') }) });
    assert.match(log.text, /^\S+ ERROR write failed error=outer\n {4}Error: outer\n {8}at /);
    assert.match(log.text, /^ {4}caused by Error: inner reason\n {8}at /m);
  });

  test('are alone for a refusal that is no error of ours', () => {
    const log = lines('text');
    log.warn('trying again', { error: unreachable('the server is away') });
    assert.equal(log.text, '2030-01-02T03:04:05.006Z WARN  trying again error="the server is away"\n');
  });
});

describe('JSON lines', () => {
  test('hold time, level, message and the fields', () => {
    const log = lines('json');
    log.debug('done', { count: 3, list: ['a'] });
    assert.equal(
      log.text,
      '{"time":"2030-01-02T03:04:05.006Z","level":"debug","message":"done","count":3,"list":["a"]}\n',
    );
  });

  test('keep an error with its stack and cause', () => {
    const { error } = parsed({ error: new TypeError('outer', { cause: new Error('inner') }) }) as {
      error: { name: string; message: string; stack: string; cause: { message: string } };
    };
    assert.equal(error.name, 'TypeError');
    assert.equal(error.message, 'outer');
    assert.match(error.stack, /console-logger\.test/);
    assert.equal(error.cause.message, 'inner');
  });

  test('never lose the message to a field of that name', () => {
    const line = parsed({ message: 'other', level: 'x' });
    assert.deepEqual(
      [line.message, line.level, line['field.message'], line['field.level']],
      ['m', 'info', 'other', 'x'],
    );
  });

  test('name a circle as such, and print what merely occurs twice', () => {
    const shared = { a: 1 };
    const circle: Record<string, unknown> = { shared, again: shared };
    circle.self = circle;
    assert.deepEqual(parsed({ circle }).circle, { shared, again: shared, self: '<circular>' });
    const error = new Error('loop');
    error.cause = error;
    assert.equal((parsed({ error }).error as Error).cause, '<circular>');
  });
});

test('lines below the level are left out', () => {
  const log = lines('text', 'warn');
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  assert.deepEqual(log.text.match(/ [a-d]$/gm), [' c', ' d']);
});

test('fields that cannot be printed do not throw, and the line is still there', () => {
  for (const format of ['text', 'json'] as const) {
    const log = lines(format);
    log.error('odd', awkward);
    assert.match(log.text, /odd/);
    assert.match(log.text, /unreadable: Error: do not look/);
    assert.equal(log.text.trimEnd().split('\n').length, 1);
  }
});

test('an output that fails does not bring down who logs', () => {
  const output = {
    write() {
      throw new Error('disk full');
    },
  };
  assert.doesNotThrow(() => consoleLogger({ output, level: 'info', format: 'text', clock }).info('x'));
});
