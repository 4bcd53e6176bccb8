/** Keys and certificates as PEM. */
export interface NodeServerTls {
  readonly key: string;
  readonly cert: string;
  /** Who signs the certificates that clients must show. */
  readonly ca: string;
  /** Common names of the clients that may connect: those of API servers. The authority signs certificates of others, too. */
  readonly clientNames: readonly string[];
}

export interface NodeServerOptions {
  readonly address: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: NodeServerTls;
}
