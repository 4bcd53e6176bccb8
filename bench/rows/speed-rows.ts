import { padded, tokens } from '../load/request-template.ts';
import { podBody, pods } from '../pod.ts';
import type { Row } from './row.ts';
import { creation, speedRow } from './speed-row.ts';

const onePod = `${pods}/storefront-2849536291-${tokens.object}`;

const replacement = { method: 'PUT', path: onePod, body: podBody('replaced'), objects: 1000 } as const;

const writers = 32;
const readers = 16;

export const create = speedRow({
  name: 'create',
  about: 'create a pod, on disk',
  goal: '>= 0.40',
  podsBefore: 0,
  connections: writers,
  template: creation,
});

export const update = speedRow({
  name: 'update',
  about: 'replace a pod, on disk',
  podsBefore: 1000,
  connections: writers,
  template: replacement,
});

export const get = speedRow({
  name: 'get',
  about: 'get a pod',
  goal: '>= 0.60',
  podsBefore: 1000,
  connections: readers,
  template: { method: 'GET', path: onePod, objects: 1000 },
});

const listing = { podsBefore: 5000, connections: 2, template: { method: 'GET', path: pods, objects: 1 } } as const;

export const list = speedRow({ name: 'list', about: 'list 5,000 pods', goal: '>= 0.60', ...listing });

/** An answer that is the same as the last can be sent again; this is what it takes when it is not. */
export const changingList = speedRow({
  name: 'list-changing',
  about: 'list 5,000 pods while they change',
  ...listing,
  meanwhile: { everyMs: 10, template: replacement },
});

export const select = speedRow({
  name: 'select',
  about: 'list 10 of 5,000 pods by label',
  podsBefore: 5000,
  connections: readers,
  template: { method: 'GET', path: `${pods}?labelSelector=batch%3D${padded(321)}`, objects: 1 },
});

function fanOut(watchers: number): Row {
  return speedRow({
    name: `watch-${watchers}`,
    about: `tell ${watchers} watches of new pods`,
    goal: '>= 0.50',
    podsBefore: 0,
    connections: 8,
    template: creation,
    watchers,
  });
}

export const fanOuts = [fanOut(100), fanOut(500)];
