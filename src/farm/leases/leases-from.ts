/**
 * A condition on leases `l`: those of `worker` that end above the height `lowest`. Leases of a worker do not overlap, so the
 * one that reaches across `lowest` is the one with the greatest start below it, and the primary key finds it.
 * Both arguments are SQL expressions. A lease that ends exactly at `lowest` is let through.
 */
export function leasesFrom(worker: string, lowest: string): string {
  return `l.worker_type = ${worker} and l.from_height >= coalesce(
    (select max(b.from_height) from app.worker_leases b where b.worker_type = ${worker} and b.from_height <= ${lowest}), ${lowest})`
}
