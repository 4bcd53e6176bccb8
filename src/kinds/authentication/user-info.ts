import { object, string, strings, stringsMap, type FieldsOf } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

const userInfoFields = {
  username: string('Name of the user.'),
  uid: string('What tells this user from an earlier one of the same name.'),
  groups: strings('Groups that the user is in.'),
  extra: stringsMap('What else whoever vouched for the user said.'),
};
/** Somebody who is known. */
export interface UserInfo extends FieldsOf<typeof userInfoFields> {}
export const userInfo: ObjectSchema<UserInfo> = object('v1.UserInfo', 'Somebody who is known.', userInfoFields);
