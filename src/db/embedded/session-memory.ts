import { totalmem } from 'node:os'

const KiB = 1024
const GiB = 1024 ** 3

/** What each process of the server has beside its session's own memory and the shared buffers: programs, locales, stacks. */
const baseBytes = GiB / 4

/**
 * The address space that one process of the server may have, in KiB. PostgreSQL itself has no limit for a session: each value of a
 * statement may have a gigabyte, and a statement has as many values as somebody writes. Beyond this it fails with `out of memory`
 * (53200), and the machine and all other sessions go on.
 * @param sharedBuffers the setting, such as `512MB`
 */
export function sessionAddressSpaceKiB(sharedBuffers: string): number {
  const own = Math.max(GiB, totalmem() / 16)
  // Shared memory other than the buffers grows with the connections: half as much again is ample.
  return Math.ceil((own + baseBytes + 1.5 * bytesOf(sharedBuffers)) / KiB)
}

/** The units that PostgreSQL takes for its settings of memory; without one it counts pages. */
const units: Readonly<Record<string, number>> = { B: 1, kB: KiB, MB: KiB ** 2, GB: GiB, TB: KiB * GiB, '': 8 * KiB }

function bytesOf(setting: string): number {
  const [, digits = '0', unit = ''] = /^\s*(\d+)\s*([a-zA-Z]*)\s*$/.exec(setting) ?? []
  return Number(digits) * (units[unit] ?? 0)
}
