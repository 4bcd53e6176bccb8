import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { silentLogger } from '../../../../base/logger.ts';
import { RuntimeError } from '../../../runtime.ts';
import { logOf, RuntimeFixture } from '../../testing/runtime-fixture.ts';
import { openForTest } from '../testing/open-for-test.ts';
import { builtInImages } from './built-in-images.ts';
import { ImageMapFile } from './image-map-file.ts';
import { findImage, parseImageMap, unknownImage } from './image-map.ts';
import { lookupNames } from './image-name.ts';
import { commandLine } from './image.ts';

const none = { command: [], args: [] };

async function temporaryFile(t: TestContext, content: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-images-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'images.yaml');
  await writeFile(path, content);
  return path;
}

describe('names of images', () => {
  it('an image is looked for as written, then without tag, registry and all that is before its own name', () => {
    assert.deepEqual(lookupNames('nginx'), ['nginx']);
    assert.deepEqual(lookupNames('docker.io/library/nginx:1.9@sha256:0123'), [
      'docker.io/library/nginx:1.9@sha256:0123',
      'docker.io/library/nginx:1.9',
      'docker.io/library/nginx',
      'library/nginx:1.9',
      'nginx:1.9',
      'library/nginx',
      'nginx',
    ]);
    assert.ok(lookupNames('localhost:5000/team/app').includes('team/app'));
    assert.ok(!lookupNames('team/app').includes('team'));
  });

  it('everyday images are there under the names of their registries', () => {
    const maps = [builtInImages()];
    for (const name of [
      'busybox',
      'alpine:3.4',
      'docker.io/library/debian',
      'gcr.io/google_containers/pause:2.0',
      'k8s.gcr.io/echoserver:1.4',
      'nginx:1.7.9',
      'httpd',
      'node:20',
    ]) {
      // prettier-ignore
      assert.ok(findImage(name, maps), name);
    }
    assert.equal(findImage('team/unheard-of', maps), undefined);
  });
});

describe('command lines', () => {
  const image = parseImageMap({ app: { command: ['serve'], args: ['--all'] } }).get('app')!;

  it('a container replaces the arguments of its image, or everything', () => {
    assert.deepEqual(commandLine(image, none), ['serve', '--all']);
    assert.deepEqual(commandLine(image, { command: [], args: ['--one'] }), ['serve', '--one']);
    assert.deepEqual(commandLine(image, { command: ['other'], args: [] }), ['other']);
    assert.deepEqual(commandLine(undefined, { command: ['other'], args: ['x'] }), ['other', 'x']);
  });

  it('programs of built-in images go by their usual names', () => {
    const nginx = builtInImages().get('nginx')!;
    const line = commandLine(nginx, { command: ['nginx', '-g', 'daemon off;'], args: [] });
    assert.equal(line[0], process.execPath);
    assert.deepEqual(line.slice(-2), ['-g', 'daemon off;']);
    assert.deepEqual(commandLine(nginx, { command: ['ls'], args: [] }), ['ls']);
  });
});

describe('image maps', () => {
  it('an entry is a command line, a directory, or says both and more', () => {
    const map = parseImageMap({
      line: ['echo', 'hello'],
      place: '/srv/app',
      both: { directory: '/srv/app', command: ['./run', 'x'], args: ['y'], environment: { A: 'b' } },
    });
    assert.deepEqual(map.get('line')!.command, ['echo', 'hello']);
    assert.equal(map.get('place')!.directory, '/srv/app');
    const { command, args, environment } = map.get('both')!;
    assert.deepEqual({ command, args, environment }, { command: ['/srv/app/run', 'x'], args: ['y'], environment: { A: 'b' } }); // prettier-ignore
    assert.equal(parseImageMap(null).size, 0);
  });

  const wrong: readonly [entry: unknown, message: RegExp][] = [
    ['relative/path', /"app" has to be a list/],
    [[], /has to be a list/],
    [['a', 1], /has to be a list/],
    [{ command: 'run' }, /needs a list of words as its command/],
    [{ comand: ['run'] }, /has no field "comand"/],
    [{ directory: 'x' }, /absolute path/],
    [{ environment: { A: 1 }, command: ['x'] }, /object of strings/],
    [{}, /neither what runs nor where/],
  ];
  for (const [entry, message] of wrong) {
    it(`${JSON.stringify(entry)} is refused with a message that names the entry`, () => {
      assert.throws(() => parseImageMap({ app: entry }), message);
    });
  }

  it('a map that is no object is refused', () => assert.throws(() => parseImageMap([]), /has to be an object/));

  it('a file is read again when it changes, and kept when it cannot be read', async (t) => {
    const path = await temporaryFile(t, 'app: [echo, one]\n');
    const file = await ImageMapFile.open(path, silentLogger);
    assert.deepEqual((await file.current()).get('app')!.command, ['echo', 'one']);
    await writeFile(`${path}.new`, '{"app": ["echo", "two", "words"]}');
    await rename(`${path}.new`, path);
    assert.deepEqual((await file.current()).get('app')!.command, ['echo', 'two', 'words']);
    await writeFile(path, 'app: [unclosed');
    assert.deepEqual((await file.current()).get('app')!.command, ['echo', 'two', 'words']);
    await rm(path);
    assert.equal((await file.current()).size, 1);
  });

  it('all who ask at once get what a changed file says', async (t) => {
    const path = await temporaryFile(t, 'app: [echo, one]\n');
    const file = await ImageMapFile.open(path, silentLogger);
    await writeFile(path, 'app: [echo, two, words]\n');
    const maps = await Promise.all([file.current(), file.current(), file.current()]);
    assert.deepEqual(maps.map((map) => map.get('app')!.command.length), [3, 3, 3]); // prettier-ignore
  });

  it('a file that is not right is refused when the runtime is opened', async (t) => {
    const path = await temporaryFile(t, 'app: 7\n');
    await assert.rejects(ImageMapFile.open(path, silentLogger), /images\.yaml is no image map: image "app" has to be/);
  });

  it('an image that is not known is refused with what to write where', () => {
    const error = unknownImage('registry.test/team/app:1', '/etc/images.yaml');
    assert.ok(error instanceof RuntimeError);
    assert.match(error.message, /"registry.test\/team\/app:1".*\/etc\/images.yaml.*\{"app": \{"command"/);
    assert.match(unknownImage('app', undefined).message, /--image-map/);
  });
});

describe('containers with mapped images', () => {
  it('run what the map says, in its directory, and what it says later', async (t) => {
    const imageMap = await temporaryFile(t, 'app: {command: [sh, -c, "echo $WHO from $PWD"], directory: /usr, environment: {WHO: image}}\n'); // prettier-ignore
    const fixture = await RuntimeFixture.create(t, (directory) => openForTest(directory, { imageMap }));
    const first = await fixture.start({ image: 'registry.test/app:1' });
    await first.exited;
    assert.equal(await logOf(first), 'image from /usr\n');
    await writeFile(imageMap, 'app: [echo, something else]\n');
    const second = await fixture.start({ image: 'app' }, { attempt: 1 });
    await second.exited;
    assert.equal(await logOf(second), 'something else\n');
    assert.notEqual(first.imageId, second.imageId);
  });

  it('pause waits and ends well when asked to', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ image: 'gcr.io/google_containers/pause:2.0' });
    const exit = await container.stop(10_000);
    assert.ok(exit.code === 0 || exit.code === 143, `${exit.code}`);
  });

  it('node runs scripts with the Node that runs us', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ image: 'node:20', command: ['node', '-p', 'process.version'] });
    await container.exited;
    assert.equal(await logOf(container), `${process.version}\n`);
  });
});
