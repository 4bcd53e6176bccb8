import type { Reader } from '../../client/client.ts';
import type { Informer } from '../../client/informer.ts';
import type { ObjectName } from '../../client/object-name.ts';
import { configMap as configMapKind } from '../../kinds/core/config-map.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import type { EnvVar } from '../../kinds/core/pod/env-var.ts';
import { secret as secretKind } from '../../kinds/core/secret.ts';
import type { Service } from '../../kinds/core/service.ts';
import type { Kind } from '../../kinds/kind.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { expand } from './expand.ts';
import { fieldValue, type PodWhereabouts } from './field-value.ts';
import { serviceVariables, type Variables } from './service-variables.ts';

export interface ContainerEnvironmentOptions {
  readonly client: Pick<Reader, 'get'>;
  readonly services: Informer<Service>;
  /** Stands in for the address of the service `default/kubernetes`. */
  readonly apiServer?: { readonly host: string; readonly port: number };
}

/** What a container is started with. */
export interface ResolvedCommand {
  readonly environment: Variables;
  readonly command: readonly string[];
  readonly args: readonly string[];
}

/** Something that a container refers to is not there. Trying again later may help. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Works out the environment of containers, and their command with it. */
export class ContainerEnvironment {
  readonly #options: ContainerEnvironmentOptions;

  constructor(options: ContainerEnvironmentOptions) {
    this.#options = options;
  }

  /** Fails with `ConfigError`. References are read anew each time, so that every start sees what is there then. */
  async resolve(pod: Pod, container: Container, place: PodWhereabouts): Promise<ResolvedCommand> {
    // Without a prototype, for a variable may be called __proto__.
    const environment: Variables = Object.create(null);
    Object.assign(environment, this.#serviceVariables(pod.metadata.namespace ?? ''));
    const own = new Set<string>();
    for (const variable of container.env ?? []) {
      // A variable of the container hides that of a service, also from itself.
      if (!own.has(variable.name)) delete environment[variable.name];
      own.add(variable.name);
      environment[variable.name] = variable.valueFrom
        ? await this.#read(pod, variable, place)
        : expand(variable.value ?? '', environment);
    }
    const expandAll = (texts: readonly string[] = []): string[] => texts.map((text) => expand(text, environment));
    return { environment: { ...environment }, command: expandAll(container.command), args: expandAll(container.args) };
  }

  #serviceVariables(namespace: string): Variables {
    const { services, apiServer } = this.#options;
    const kubernetes = services.get('default/kubernetes');
    const variables = serviceVariables([...(kubernetes ? [kubernetes] : []), ...services.list(namespace)]);
    if (!apiServer) return variables;
    const standIn = { clusterIP: apiServer.host, ports: [{ name: 'https', protocol: 'TCP', port: apiServer.port }] };
    const metadata = { name: 'kubernetes' };
    const service = { kind: 'Service', apiVersion: 'v1', metadata, spec: standIn } as Service;
    return { ...variables, ...serviceVariables([service]) };
  }

  async #read(pod: Pod, { name, valueFrom = {} }: EnvVar, place: PodWhereabouts): Promise<string> {
    const { namespace } = pod.metadata;
    const { fieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
    if (configMapKeyRef) {
      const { data = {} } = await this.#get(configMapKind, { namespace, name: configMapKeyRef.name });
      return valueAt(data, configMapKeyRef.key, `config map ${namespace}/${configMapKeyRef.name}`);
    }
    if (secretKeyRef) {
      const { data = {} } = await this.#get(secretKind, { namespace, name: secretKeyRef.name });
      const text = valueAt(data, secretKeyRef.key, `secret ${namespace}/${secretKeyRef.name}`);
      return Buffer.from(text, 'base64').toString('utf8');
    }
    const value = fieldRef && fieldValue(pod, fieldRef.fieldPath, place);
    if (value === undefined) {
      throw new ConfigError(`variable ${name} asks for ${fieldRef?.fieldPath ?? 'nothing'}, which cannot be had`);
    }
    return value;
  }

  async #get<T extends ApiObject>(kind: Kind<T>, name: ObjectName): Promise<T> {
    try {
      return await this.#options.client.get(kind, name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const what = `${kind.singular} ${name.namespace}/${name.name}`;
      const why = error.code === 404 ? `there is no ${what}` : `${what} cannot be read: ${error.message}`;
      throw new ConfigError(why, { cause: error });
    }
  }
}

function valueAt(data: Readonly<Record<string, string>>, key: string, owner: string): string {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined) throw new ConfigError(`${owner} has no key ${JSON.stringify(key)}`);
  return value;
}
