/**
 * The connection URL of a server behind a unix socket: `postgresql://user@%2Fsome%2Ffolder:5432/name`. Both `pg` and
 * Slonik read this form (the usual `?host=/folder` is not understood by Slonik). The port is part of the socket's
 * file name; it is written out so that a PGPORT in the environment changes nothing.
 */
export function socketUrl(options: { folder: string; user: string; database: string; port?: number }): string {
  const { folder, user, database, port = 5432 } = options
  return `postgresql://${encodeURIComponent(user)}@${encodeURIComponent(folder)}:${port}/${encodeURIComponent(database)}`
}

/** The same server, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${encodeURIComponent(database)}`
  return changed.href
}
