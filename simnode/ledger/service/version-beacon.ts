import type { SystemWork } from '../activity.ts'
import { arrayOf, eventShape, optional } from '../encoding/cadence-type.ts'
import type { CadenceType, CompositeType } from '../encoding/cadence-type.ts'
import { floodEnd, placeInTide, tideLength, tideOf } from '../world/tide.ts'
import { systemAccounts } from '../world/tokens.ts'

const contract = `A.${systemAccounts.service.hex}.NodeVersionBeacon`
const struct = (name: string, fields: Readonly<Record<string, CadenceType>>): CompositeType => ({
  ...eventShape(`${contract}.${name}`, fields),
  kind: 'struct',
})

const semver = struct('Semver', { major: 'UInt8', minor: 'UInt8', patch: 'UInt8', preRelease: optional('String') })
const boundary = struct('VersionBoundary', { blockHeight: 'UInt64', version: semver })
const versionBeacon = eventShape(`${contract}.VersionBeacon`, {
  versionBoundaries: arrayOf(boundary),
  sequence: 'UInt64',
})

/** Tides from one version of nodes to the next. */
const tidesPerVersion = 50
/** Blocks between the announcement of a version and the first block that needs it. */
const notice = 5 * tideLength

/** Every now and then the chain tells its nodes from which height on they must have a newer version. */
export const versionBeacons: SystemWork = {
  name: 'version-beacon',
  chunk({ height }) {
    const tide = tideOf(height)
    if (placeInTide(height) !== floodEnd || tide % tidesPerVersion !== 0) return []
    const sequence = tide / tidesPerVersion
    const versionOf = (number: number) => [0, Math.floor(number / 200) % 256, number % 200, null] as const
    const last = Math.max(0, height - tidesPerVersion * tideLength + notice)
    return [
      {
        shape: versionBeacon,
        values: [
          [
            [last, versionOf(sequence)],
            [height + notice, versionOf(sequence + 1)],
          ],
          sequence,
        ],
      },
    ]
  },
}
