/** Takes traffic at one portal until it is closed. */
export interface PortalListener {
  /**
   * Takes nothing new, and lets go of the port before it returns. Connections that were taken go on; the promise resolves when the last one
   * has ended.
   */
  close(): Promise<void>;
}
