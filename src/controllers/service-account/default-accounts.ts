import { namespace as namespaceKind } from '../../kinds/core/namespace.ts';
import { serviceAccount } from '../../kinds/core/service-account.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { Controller } from '../loop/controller.ts';
import { changesMapped, changesOf } from '../loop/key-source.ts';

/** The account of pods that name none. */
const defaultAccount = 'default';

/** Sees to it that every namespace has the account that its pods use unless they name another. */
export const defaultAccounts: Controller = {
  name: 'serviceaccount-controller',
  start({ informers, client }) {
    const namespaces = informers.of(namespaceKind);
    const accounts = informers.of(serviceAccount);
    const namespaceOf = ({ metadata: { name, namespace = '' } }: ApiObject): string[] =>
      name === defaultAccount ? [namespace] : [];
    return {
      sources: [changesOf(namespaces), changesMapped(accounts, namespaceOf)],
      async reconcile(namespace) {
        const found = namespaces.get(namespace);
        if (!found || found.metadata.deletionTimestamp !== undefined) return;
        if (accounts.get(`${namespace}/${defaultAccount}`)) return;
        const metadata = { name: defaultAccount, namespace };
        try {
          await client.create(serviceAccount, { kind: 'ServiceAccount', apiVersion: 'v1', metadata });
        } catch (error) {
          // There already, or the namespace has gone meanwhile.
          if (!(error instanceof ApiError && (error.reason === 'AlreadyExists' || error.code === 404))) throw error;
        }
      },
    };
  },
};
