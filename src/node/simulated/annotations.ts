/**
 * What pods on simulated nodes are told to do, all in annotations of the pod, for all of its containers alike. Times are written `1.5s`, `200ms`,
 * `2m`, `1h30m`, or as a number of seconds. Annotations may be changed while the pod runs. What cannot be read is told in an event and left out.
 * What the pod uses (`simulated.wherry.dev/cpu-usage`, `.../memory-usage`) is in kinds/core/pod/usage-annotations.ts.
 */
export const podAnnotations = {
  /** How long the containers take to start; at once when absent. */
  startAfter: 'simulated.wherry.dev/start-after',
  /** How long a started container takes to be ready, or `never`; at once when absent. */
  readyAfter: 'simulated.wherry.dev/ready-after',
  /** How long each run lasts; until the pod is deleted when absent, but a second where the pod belongs to a Job. */
  runFor: 'simulated.wherry.dev/run-for',
  /** What each run returns, the last number over and over: `1,1,0` fails twice and then succeeds. 0 when absent. */
  exitCode: 'simulated.wherry.dev/exit-code',
  /** How long an ended container waits for its next run, where the restart policy gives it one; at least a second, longer from run to run when absent. */
  restartAfter: 'simulated.wherry.dev/restart-after',
  /** How often the containers have been restarted when they start for the first time; 0 when absent. */
  restartCount: 'simulated.wherry.dev/restart-count',
  /** How long the pod takes to end when it is deleted, its grace period at most; at once when absent. */
  stopAfter: 'simulated.wherry.dev/stop-after',
} as const;

/** On a node: `true` lets it fall silent, as a machine that lost its network. It says nothing more of itself nor of its pods until this is taken away. */
export const unreachableAnnotation = 'simulated.wherry.dev/unreachable';
