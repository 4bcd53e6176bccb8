/** Of both sides of a connection: each ends on its own, nothing is held back to be sent together, and a peer that vanished is noticed. */
export const socketOptions = {
  allowHalfOpen: true,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
};
