import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { CommandStreams } from '../../streams/command-streams.ts';
import { exitStatus, failureStatus } from '../../streams/exit-status.ts';
import type { AttachedStreams, RunningContainer } from '../runtime.ts';

export interface CommandOptions {
  readonly command: readonly string[];
  readonly tty: boolean;
}

/** Runs a command beside a container for a client, until it ends or the client leaves. */
export async function runCommand(
  running: RunningContainer,
  { command, tty }: CommandOptions,
  streams: CommandStreams,
): Promise<void> {
  const exec = await orFinish(streams, () => running.exec(command, { tty, stdin: streams.stdin !== undefined }));
  if (!exec) return;
  void streams.closed.then(() => exec.kill());
  const outputs = connect(streams, exec, { endsInput: true });
  try {
    const code = await exec.exitCode;
    // What was left running in the background can hold the outputs open; the client decides how long that is of interest.
    await Promise.race([outputs, streams.closed]);
    await streams.finish(exitStatus(code));
  } catch (error) {
    await streams.finish(failureStatus(`the command was lost: ${messageOf(error)}`));
  } finally {
    release(streams, exec);
  }
}

export interface AttachOptions {
  /** Whether the input of the container ends with that of the client. */
  readonly endsInput: boolean;
}

/** Joins a client with the container's own streams, until the container ends or the client leaves. */
export async function attachTo(
  running: RunningContainer,
  options: AttachOptions,
  streams: CommandStreams,
): Promise<void> {
  const attached = await orFinish(streams, () => running.attach());
  if (!attached) return;
  const outputs = connect(streams, attached, options);
  try {
    await Promise.race([Promise.all([outputs, running.exited]), streams.closed]);
    await streams.finish(exitStatus(0));
  } catch (error) {
    await streams.finish(failureStatus(`the container was lost: ${messageOf(error)}`));
  } finally {
    release(streams, attached);
  }
}

async function orFinish<T>(streams: CommandStreams, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    await streams.finish(failureStatus(messageOf(error)));
    return undefined;
  }
}

/** Carries bytes both ways, no faster than the slower side; resolves when the outputs are over. */
function connect(client: CommandStreams, command: AttachedStreams, { endsInput }: AttachOptions): Promise<unknown> {
  client.onResize((size) => command.resize(size));
  if (client.stdin && command.stdin) {
    // Nobody may be left to read it.
    command.stdin.on('error', () => client.stdin?.resume());
    client.stdin.pipe(command.stdin, { end: endsInput });
  } else {
    client.stdin?.resume();
  }
  return Promise.all([carry(command.stdout, client.stdout), command.stderr && carry(command.stderr, client.stderr)]);
}

function carry(from: Readable, to: Writable | undefined): Promise<void> {
  // The client's side is ended last, together with the outcome.
  if (to) from.pipe(to, { end: false });
  else from.resume();
  return finished(from, { writable: false }).catch(() => undefined);
}

/** Whatever comes after the end is nobody's, and nothing is held open. */
function release(client: CommandStreams, command: AttachedStreams): void {
  if (command.stdin) client.stdin?.unpipe(command.stdin);
  client.stdin?.resume();
  command.detach();
  command.stdout.destroy();
  command.stderr?.destroy();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
