import { dirname } from 'node:path';
import { findProgram } from '../host-tools.ts';
import { programFile } from '../programs/program-file.ts';
import type { Image } from './image.ts';

/** Images whose programs are those of the machine. */
const shells = ['busybox', 'alpine', 'debian', 'ubuntu', 'bash', 'centos', 'fedora'];

/** Ends when it is told to, as the first process of a pod does. */
const pauseScript = 'trap "exit 0" TERM INT; while :; do sleep 2147483 & wait $!; done';

/** What everyday images do without being listed, from what the machine and this package have. */
export function builtInImages(): ReadonlyMap<string, Image> {
  const images = new Map<string, Image>();
  for (const name of shells) images.set(name, image({ args: ['sh'] }));
  const node = [process.execPath];
  images.set('node', image({ args: node, programs: { node }, environment: nodeEnvironment() }));
  const python = findProgram('python3') ?? findProgram('python');
  if (python !== undefined) images.set('python', image({ args: [python], programs: { python: [python], python3: [python] } })); // prettier-ignore
  for (const name of ['pause', 'pause-amd64']) images.set(name, pauseImage());
  images.set('nginx', webImage('/usr/share/nginx/html', ['nginx']));
  images.set('httpd', webImage('/usr/local/apache2/htdocs', ['httpd', 'httpd-foreground', 'apachectl']));
  for (const name of ['echo', 'echoserver', 'http-echo']) images.set(name, echoImage(name));
  return images;
}

function image(parts: Partial<Image>): Image {
  return { command: [], args: [], environment: {}, programs: {}, ...parts };
}

/** So that scripts find `node` too, wherever ours is installed. */
function nodeEnvironment(): Record<string, string> {
  return { PATH: `${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin` };
}

function pauseImage(): Image {
  const command = ['/bin/sh', '-c', pauseScript];
  return image({ command, programs: { '/pause': command } });
}

/** Whatever arguments the real server would take mean nothing to ours, so a container's own arguments are let pass and ignored. */
function webImage(root: string, names: readonly string[]): Image {
  const server = [process.execPath, programFile('web-server'), root];
  return image({ command: server, programs: Object.fromEntries(names.map((name) => [name, server])) });
}

function echoImage(name: string): Image {
  const server = [process.execPath, programFile('echo-server')];
  return image({ command: server, programs: { [name]: server, [`/${name}`]: server } });
}
