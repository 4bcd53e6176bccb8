import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { RuntimeError, type Mount } from '../../../runtime.ts';
import { findHostTools } from '../host-tools.ts';
import { fullPath, resolvePath } from './container-path.ts';
import { mountFlags } from './mount-flags.ts';
import { planRoot, type RootPlan } from './root-plan.ts';
import { rootScript } from './root-script.ts';

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'wherry-mounts-')));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

function plan(...mounts: readonly Mount[]): RootPlan {
  return planRoot({ mounts, directories: [], allDevices: false });
}

function isInvalid(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof RuntimeError && error.reason === 'InvalidMount' && message.test(error.message);
}

describe('paths of containers', () => {
  it('links are followed, also where the end of the path is missing', async (t) => {
    const directory = await temporaryDirectory(t);
    await mkdir(join(directory, 'real/inner'), { recursive: true });
    await symlink('real', join(directory, 'relative'));
    await symlink(join(directory, 'relative/inner'), join(directory, 'absolute'));
    assert.deepEqual(resolvePath(join(directory, 'absolute/a/b')), {
      existing: join(directory, 'real/inner'),
      missing: ['a', 'b'],
    });
    assert.equal(fullPath(resolvePath(join(directory, 'relative/../real/./inner/'))), join(directory, 'real/inner'));
  });

  it('links that lead in a circle are refused', async (t) => {
    const directory = await temporaryDirectory(t);
    await symlink('b', join(directory, 'a'));
    await symlink('a', join(directory, 'b'));
    assert.throws(() => resolvePath(join(directory, 'a/x')), /too many links/);
  });
});

describe('the file system of a container', () => {
  it('only directories that miss something are rebuilt, with all that was in them', async (t) => {
    const directory = await temporaryDirectory(t);
    await mkdir(join(directory, 'there/full'), { recursive: true });
    await writeFile(join(directory, 'there/file'), '');
    await symlink('file', join(directory, 'there/link'));
    const target = (path: string): string => join(directory, 'there', path);
    const { rebuilt, binds } = plan(
      { hostPath: directory, containerPath: target('new/deep'), readOnly: true },
      { hostPath: target('file'), containerPath: target('new.conf'), readOnly: false },
      { hostPath: directory, containerPath: target('full'), readOnly: false },
    );
    assert.deepEqual(
      rebuilt.map(({ path }) => path),
      ['/', target('.').replace(/\/\.$/, '')],
    );
    const { directories, files, links, binds: kept } = rebuilt[1]!;
    assert.deepEqual(directories, [target('full'), target('new'), target('new/deep')]);
    assert.deepEqual(files, [target('file'), target('new.conf')]);
    assert.deepEqual(links, [target('link')]);
    assert.deepEqual(kept.map(({ source }) => source), [target('full'), target('file')]); // prettier-ignore
    assert.deepEqual(
      binds.map(({ target, readOnly }) => [target, readOnly]),
      [
        [target('new.conf'), false],
        [target('full'), false],
        [target('new/deep'), true],
      ],
    );
  });

  it('a mount within another one gets its place there, whatever order they come in', async (t) => {
    const directory = await temporaryDirectory(t);
    await mkdir(join(directory, 'outer'));
    await writeFile(join(directory, 'file'), '');
    const { binds } = plan(
      { hostPath: join(directory, 'file'), containerPath: '/own/a/b', readOnly: false },
      { hostPath: join(directory, 'outer'), containerPath: '/own', readOnly: false },
    );
    assert.deepEqual(binds.map(({ target }) => target), ['/own', '/own/a/b']); // prettier-ignore
    assert.deepEqual(await readdir(join(directory, 'outer/a')), ['b']);
  });

  it('what cannot be mounted is refused with where and why', async (t) => {
    const directory = await temporaryDirectory(t);
    const file = join(directory, 'file');
    await writeFile(file, '');
    const mount = (hostPath: string, containerPath: string): Mount => ({ hostPath, containerPath, readOnly: false });
    assert.throws(() => plan(mount(join(directory, 'no'), '/data')), isInvalid(/\/data: .*\/no of the machine/));
    assert.throws(() => plan(mount(directory, '/')), isInvalid(/whole file system/));
    assert.throws(() => plan(mount(directory, file)), isInvalid(/is a directory and what it would cover is a file/));
    assert.throws(() => plan(mount(directory, `${file}/below`)), isInvalid(/not a directory/));
  });

  it('a link in a volume leads no mount out of it, and nothing is made there', async (t) => {
    const directory = await temporaryDirectory(t);
    await mkdir(join(directory, 'outer'));
    await mkdir(join(directory, 'elsewhere'));
    await symlink(join(directory, 'elsewhere'), join(directory, 'outer/out'));
    const mounts = ['/own', '/own/out/place'].map((containerPath) => ({
      hostPath: join(directory, 'outer'),
      containerPath,
      readOnly: false,
    }));
    assert.throws(() => plan(...mounts), isInvalid(/elsewhere\/place is not in it/));
    assert.deepEqual(await readdir(join(directory, 'elsewhere')), []);
  });

  it('the script quotes what has to be quoted', async (t) => {
    const directory = await temporaryDirectory(t);
    const path = join(directory, `it's a "volume"`);
    await mkdir(path);
    const { commands, files } = rootScript(
      plan({ hostPath: path, containerPath: `/own's place`, readOnly: true }),
      '/containers/one',
      findHostTools(),
    );
    assert.ok(commands.includes(`'/containers/one/root/own'\\''s place'`));
    const table = Object.values(files).at(-1)!;
    assert.match(table, /it's\\040a\\040"volume" \/containers\/one\/root\/own's\\040place none rbind,ro/);
  });
});

describe('flags of mounts', () => {
  const mountInfo = [
    '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '30 27 0:27 / /tmp rw,nosuid,nodev,noatime - tmpfs tmpfs rw',
    '31 27 0:28 / /tmp/with\\040space rw,noexec - tmpfs tmpfs rw',
  ].join('\n');

  it('those of the innermost file system that a path lies in are kept', () => {
    assert.deepEqual(mountFlags('/tmp/x', mountInfo), ['nosuid', 'nodev', 'noatime']);
    assert.deepEqual(mountFlags('/tmpx', mountInfo), ['relatime']);
    assert.deepEqual(mountFlags('/tmp/with space/x', mountInfo), ['noexec']);
  });
});
