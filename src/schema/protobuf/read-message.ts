import type { ListSchema, MapSchema, ObjectSchema, Schema } from '../schema.ts';
import { MalformedMessage } from './malformed-message.ts';
import type { MessagePlan, MessagePlans, PlannedField } from './message-plan.ts';
import { skipIfNothing } from './says-nothing.ts';
import { readAny, readIntOrString, readQuantity, readTime } from './special-messages.ts';
import { WireReader, wireTypes } from './wire-reader.ts';

type Fields = Record<string, unknown>;

/**
 * Reads a message of this type as the JSON that would say the same. Fields that the type does not have are there as null, under their name
 * or number, so that they are told and dropped like unknown fields of JSON. Throws `MalformedMessage` with the field where bytes are wrong.
 */
export function readMessage(schema: ObjectSchema, plans: MessagePlans, bytes: Buffer): Fields {
  return new MessageReader(plans, bytes).message(schema);
}

class MessageReader {
  readonly #plans: MessagePlans;
  readonly #wire: WireReader;
  /** Fields and positions in lists. */
  readonly #path: (string | number)[] = [];

  constructor(plans: MessagePlans, bytes: Buffer) {
    this.#plans = plans;
    this.#wire = new WireReader(bytes);
  }

  message(schema: ObjectSchema): Fields {
    const fields: Fields = {};
    try {
      this.#fields(this.#plans.of(schema), fields);
    } catch (error) {
      if (!(error instanceof MalformedMessage) || this.#path.length === 0) throw error;
      throw new MalformedMessage(`${this.#where()}: ${error.message}`, { cause: error });
    }
    return fields;
  }

  #fields(plan: MessagePlan, target: Fields): void {
    const wire = this.#wire;
    while (wire.next()) {
      const planned = plan.get(wire.fieldNumber);
      if (planned?.is === 'field') this.#field(planned, target);
      else if (planned?.is === 'part') this.#part(planned.plan, target);
      else this.#unknown(planned?.name ?? `#${wire.fieldNumber}`, target);
    }
  }

  #part(plan: MessagePlan, target: Fields): void {
    this.#expect(wireTypes.delimited);
    const outer = this.#wire.enter();
    this.#fields(plan, target);
    this.#wire.leave(outer);
  }

  #unknown(name: string, target: Fields): void {
    if (!skipIfNothing(this.#wire)) target[name] = null;
  }

  #field({ name, schema }: PlannedField & { is: 'field' }, target: Fields): void {
    this.#path.push(name);
    if (schema.type === 'list') this.#item(schema, (target[name] ??= []) as unknown[]);
    else if (schema.type === 'map') this.#entry(schema, (target[name] ??= {}) as Fields);
    else {
      const value = this.#value(schema, target[name]);
      if (value !== undefined) target[name] = value;
    }
    this.#path.pop();
  }

  /** One item or, of numbers, any number of them in one piece. */
  #item({ item }: ListSchema, items: unknown[]): void {
    this.#path.push(items.length);
    if (wireTypeOf(item) === wireTypes.varint && this.#wire.wireType === wireTypes.delimited) {
      const outer = this.#wire.enter();
      while (this.#wire.more) items.push(this.#number(item));
      this.#wire.leave(outer);
    } else {
      items.push(this.#value(item));
    }
    this.#path.pop();
  }

  /** An entry of a map is a message with a key and a value. */
  #entry({ value: schema }: MapSchema, target: Fields): void {
    this.#expect(wireTypes.delimited);
    const wire = this.#wire;
    const outer = wire.enter();
    let key = '';
    let value: unknown = schema.type === 'list' ? [] : '';
    while (wire.next()) {
      if (wire.fieldNumber === 1) key = this.#key();
      else if (wire.fieldNumber === 2) value = schema.type === 'list' ? this.#wrappedList(schema) : this.#value(schema);
      else wire.skip();
    }
    wire.leave(outer);
    target[key] = value;
  }

  #key(): string {
    this.#expect(wireTypes.delimited);
    const key = this.#wire.text();
    if (key === '__proto__') throw new MalformedMessage('the key "__proto__" cannot be used');
    return key;
  }

  /** A list that is the value of a map stands in a message of its own. */
  #wrappedList(schema: ListSchema): unknown[] {
    this.#expect(wireTypes.delimited);
    const wire = this.#wire;
    const items: unknown[] = [];
    const outer = wire.enter();
    while (wire.next()) {
      if (wire.fieldNumber === 1) this.#item(schema, items);
      else wire.skip();
    }
    wire.leave(outer);
    return items;
  }

  /** `before` is what the field has been given already: a message that comes twice adds to what it said first. */
  #value(schema: Schema, before?: unknown): unknown {
    this.#expect(wireTypeOf(schema));
    const wire = this.#wire;
    switch (schema.type) {
      case 'object':
        return this.#object(schema, (before ?? {}) as Fields);
      case 'string':
        return wire.text();
      case 'integer':
      case 'boolean':
        return this.#number(schema);
      case 'bytes':
        return wire.bytes().toString('base64');
      case 'quantity':
        return readQuantity(wire);
      case 'time':
        return readTime(wire);
      case 'intOrString':
        return readIntOrString(wire);
      case 'any':
        return readAny(wire);
      default:
        throw new Error(`a ${schema.type} cannot stand in a list or as a value`);
    }
  }

  #object(schema: ObjectSchema, target: Fields): Fields {
    const outer = this.#wire.enter();
    this.#fields(this.#plans.of(schema), target);
    this.#wire.leave(outer);
    return target;
  }

  #number(schema: Schema): number | boolean {
    if (schema.type === 'boolean') return this.#wire.boolean();
    return schema.type === 'integer' && schema.bits === 32 ? this.#wire.int32() : this.#wire.int64();
  }

  #expect(wanted: number): void {
    const { wireType } = this.#wire;
    if (wireType !== wanted) throw new MalformedMessage(`it has wire type ${wireType}; ${wanted} is wanted here`);
  }

  #where(): string {
    const words = this.#path.map((part) => (typeof part === 'number' ? `[${part}]` : part));
    return words.join('.').replaceAll('.[', '[');
  }
}

function wireTypeOf(schema: Schema): number {
  return schema.type === 'integer' || schema.type === 'boolean' ? wireTypes.varint : wireTypes.delimited;
}
