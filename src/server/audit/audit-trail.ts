/** `Metadata`: who did what when, and how it ended. `Request`: what was sent, too. */
export const auditLevels = ['Metadata', 'Request'] as const;
export type AuditLevel = (typeof auditLevels)[number];

/** Where audit events go, one line of JSON each. */
export interface AuditTrail {
  readonly level: AuditLevel;
  /** Never throws and never waits: what cannot be kept is counted and given up. */
  write(line: string): void;
}
