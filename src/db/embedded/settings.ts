import { totalmem } from 'node:os'

const MiB = 1024 * 1024

/**
 * Server settings for our workload: one busy ingester that COPYs large batches, many short commits of leases, reads by
 * key, and a machine that the server shares with Node. The caller's settings win over these.
 */
export function serverSettings(overrides: Record<string, string> = {}): Record<string, string> {
  const sharedBuffersMiB = Math.max(32, Math.min(512, Math.floor(totalmem() / 4 / MiB)))
  return {
    // Reached by the unix socket alone, in a folder of mode 0700: that folder is the only authentication.
    listen_addresses: '',
    unix_socket_permissions: '0700',
    // The working set is the newest partitions; more than 512 MB showed no gain and takes memory from Node.
    shared_buffers: `${sharedBuffersMiB}MB`,
    effective_cache_size: `${Math.floor(totalmem() / 2 / MiB)}MB`,
    // Durable: a committed height is announced to others, so it must survive a power cut.
    fsync: 'on',
    synchronous_commit: 'on',
    // Backfill writes gigabytes per minute; checkpoints by volume would write each page again and again.
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    // Only pglz is built in, which costs processor time, the scarce thing here; COPY into new pages logs few full pages.
    wal_compression: 'off',
    // Every service has its own small pools, and every queue has one too.
    max_connections: '200',
    // A statement may touch hundreds of partitions, each with its indexes.
    max_locks_per_transaction: '256',
    // Our statements are short; compiling them never pays (and the library is not in the package).
    jit: 'off',
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    // Solid-state disks: a random page costs about as much as a sequential one.
    random_page_cost: '1.1',
    // A statement whose client was killed must not go on holding locks.
    client_connection_check_interval: '2s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Checkpoints are normal here; statements that take seconds are worth a line.
    log_checkpoints: 'off',
    log_min_duration_statement: '5s',
    ...overrides,
  }
}
