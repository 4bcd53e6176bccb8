import type { Pod } from '../../kinds/core/pod.ts';
import { controllerOf } from '../../kinds/meta/controller-reference.ts';
import { podAnnotations } from './annotations.ts';
import { parseDuration } from './duration.ts';

/** What a simulated pod is going to do. Times are in milliseconds. */
export interface PodScript {
  readonly startAfter: number;
  /** Infinity for never. */
  readonly readyAfter: number;
  /** Infinity for a run that ends with the pod. */
  readonly runFor: number;
  /** At least one; the last stands for all that follow. */
  readonly exitCodes: readonly number[];
  /** Absent where waits grow from run to run. */
  readonly restartAfter?: number;
  readonly restartCount: number;
  readonly stopAfter: number;
}

export interface ReadScript {
  readonly script: PodScript;
  /** What is wrong with the pod's annotations, for people. */
  readonly mistakes: readonly string[];
}

const jobRunMs = 1000;
/** A pod that is restarted faster would keep everybody busy. */
const leastRestartMs = 1000;
const mostRestarts = 1_000_000;

/** Reads what the annotations of a pod ask for; what cannot be read is as if it were absent. */
export function scriptOf(pod: Pod): ReadScript {
  const { annotations = {} } = pod.metadata;
  const mistakes: string[] = [];
  function read<T>(key: string, parse: (text: string) => T | undefined, expected: string): T | undefined {
    const text = annotations[key];
    if (text === undefined) return undefined;
    const value = parse(text.trim());
    if (value === undefined) mistakes.push(`annotation ${key} is "${text}", which is no ${expected}`);
    return value;
  }
  const readTime = (key: string): number | undefined => read(key, parseDuration, 'time such as 1.5s');
  const { startAfter, readyAfter, runFor, exitCode, restartAfter, restartCount, stopAfter } = podAnnotations;
  const restartMs = readTime(restartAfter);
  const script: PodScript = {
    startAfter: readTime(startAfter) ?? 0,
    readyAfter: read(readyAfter, parseDurationOrNever, 'time such as 1.5s, nor "never"') ?? 0,
    runFor: readTime(runFor) ?? (controllerOf(pod)?.kind === 'Job' ? jobRunMs : Infinity),
    exitCodes: read(exitCode, parseExitCodes, 'list of numbers from 0 to 255 such as 1,0') ?? [0],
    ...(restartMs !== undefined && { restartAfter: Math.max(leastRestartMs, restartMs) }),
    restartCount: read(restartCount, parseCount, `number from 0 to ${mostRestarts}`) ?? 0,
    stopAfter: readTime(stopAfter) ?? 0,
  };
  return { script, mistakes };
}

function parseDurationOrNever(text: string): number | undefined {
  return text === 'never' ? Infinity : parseDuration(text);
}

function parseExitCodes(text: string): number[] | undefined {
  const codes = text.split(',').map((code) => (/^\s*\d{1,3}\s*$/.test(code) ? Number(code) : NaN));
  return codes.every((code) => code <= 255) ? codes : undefined;
}

function parseCount(text: string): number | undefined {
  return /^\d{1,7}$/.test(text) && Number(text) <= mostRestarts ? Number(text) : undefined;
}
