/** `npm test`: build, lint, format check and all tests. Whatever fails, the last line is `N passed, N failed`; a failed check counts as one. */
import { spawnSync } from 'node:child_process';

/** @param {string} command @param {string[]} args */
function succeeds(command, args) {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
}

if (!succeeds('npm', ['run', '--silent', 'build'])) {
  process.stdout.write('the build failed, so nothing else was tried\n0 passed, 1 failed\n');
  process.exit(1);
}
const failed = ['lint', 'format:check'].filter((check) => !succeeds('npm', ['run', '--silent', check]));
for (const check of failed) process.stdout.write(`npm run ${check} failed\n`);
const passed = succeeds(process.execPath, ['build/scripts/run-tests.js', `--failed-checks=${failed.length}`]);
process.exitCode = passed ? 0 : 1;
