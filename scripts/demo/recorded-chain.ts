import { createHash } from 'node:crypto'
import { startReplayNode } from '../../simnode/replay/replay-node.ts'
import { bytesField, rewrite } from '../../simnode/node/wire.ts'
import { loadRecording } from '../../simnode/replay/recording.ts'
import type { RecordedVersion, Recording } from '../../simnode/replay/recording.ts'
import { blockMs, dayMs, editorVariables, pastDays } from './demo-chain.ts'
import type { DemoChain } from './demo-chain.ts'

/** @throws FatalError for a folder without a recording */
export async function startRecordedChain(folder: string, isStill: boolean): Promise<DemoChain> {
  const recording = withPictures(await loadRecording(folder))
  const [version] = recording.versions.values()
  const height = (version?.blocks.length ?? 1) - 1
  const node = await startReplayNode({
    recording,
    loop: true,
    hasRest: true,
    ...(isStill ? {} : { intervalMs: blockMs }),
    clock: { height, time: new Date(), spacingMs: blockMs, pastSpacingMs: (pastDays * dayMs) / height },
  })
  return {
    endpoint: node.endpoint,
    introduction: `Recorded chain: ${height + 1} real blocks, dated over the last ${pastDays} days, then repeated.`,
    labels: [],
    samples: [],
    variables: {
      // Recorded metadata is available; state after the recording is not.
      ENABLE_NFT_OWNERSHIP_RECONCILER: 'false',
      ENABLE_NETWORK_STATE_WORKER: 'false',
      ENABLE_EVM_METADATA_WORKER: 'false',
      ...editorVariables(node.restUrl),
    },
    failed: new Promise(() => undefined),
    stop: () => node.stop(),
  }
}

const scriptMethod = 'ExecuteScriptAtLatestBlock '

/** Image addresses of the recorded workload; the host does not exist. */
const picture = /https:\/\/example\.org\/(\w+)(?:\/(\d+))?\.(?:png|svg)/g

type Answers = RecordedVersion['answers']

/** Remote images become data URLs; metadata is served for any owner. */
function withPictures(recording: Recording): Recording {
  const versions = [...recording.versions].map(([name, version]) => {
    return [name, { ...version, answers: withItemsAnywhere(withDrawnPictures(version.answers)) }] as const
  })
  return { ...recording, versions: new Map(versions) }
}

function withDrawnPictures(answers: Answers): Answers {
  return new Map(
    [...answers].map(([key, answer]) => {
      if (!(answer instanceof Buffer) || !key.startsWith(scriptMethod)) return [key, answer]
      const drawn = rewrite(answer, ({ number }, content) => {
        const value = content.toString('utf8')
        // Field 1 of an ExecuteScriptResponse is the JSON value.
        return number !== 1 || value.search(picture) < 0
          ? undefined
          : bytesField(1, Buffer.from(value.replaceAll(picture, (_, of: string, id?: string) => inline(of, id))))
      })
      return [key, drawn]
    }),
  )
}

function withItemsAnywhere(answers: Answers): Answers {
  const owners = new Set<string>()
  const items: { request: Buffer; at: number; answer: Buffer }[] = []
  for (const [key, answer] of answers) {
    if (!key.startsWith(scriptMethod) || !(answer instanceof Buffer)) continue
    const request = Buffer.from(key.slice(scriptMethod.length), 'base64')
    const owner = /"Address","value":"(0x[0-9a-f]{16})"/.exec(request.toString('latin1'))
    if (owner?.[1] === undefined) continue
    owners.add(owner[1])
    if (answer.includes('"thumbnail"')) items.push({ request, at: request.indexOf(owner[1]), answer })
  }
  const anywhere = new Map(answers)
  for (const { request, at, answer } of items) {
    for (const owner of owners) {
      const other = Buffer.from(request)
      other.write(owner, at, 'latin1')
      const key = `${scriptMethod}${other.toString('base64')}`
      const known = anywhere.get(key)
      // Answers for other owners say that the item is missing.
      if (!(known instanceof Buffer && known.includes('"thumbnail"'))) anywhere.set(key, answer)
    }
  }
  return anywhere
}

function inline(of: string, id: string | undefined): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 120">${draw(of, id)}</svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}

function chances(name: string): (i: number) => number {
  const bytes = createHash('sha256').update(name).digest()
  return (i) => (bytes[i] ?? 0) / 255
}

function draw(of: string, id = ''): string {
  const chance = chances(`${of} ${id}`)
  const hue = Math.round(chance(0) * 360)
  if (of.endsWith('Boats')) return drawBoat(hue, chance)
  if (of.endsWith('Stones')) return drawStones(hue, chance)
  return drawCoin(hue, of)
}

function drawBoat(hue: number, chance: (i: number) => number): string {
  const lean = (chance(1) * 16 - 8).toFixed(1)
  const sea = Math.round(74 + chance(2) * 10)
  return [
    `<rect width="120" height="120" fill="hsl(${hue} 45% 84%)"/>`,
    `<circle cx="${Math.round(20 + chance(3) * 80)}" cy="26" r="11" fill="hsl(${(hue + 40) % 360} 80% 72%)"/>`,
    `<g transform="rotate(${lean} 60 70)"><path d="M60 28 86 66H34Z" fill="#fff"/><path d="M60 28V66H34Z" ` +
      `fill="hsl(${hue} 20% 92%)"/>`,
    `<path d="M22 62 60 74 98 62 84 88H36Z" fill="#fff"/><path d="M60 74 98 62 84 88H60Z" fill="hsl(${hue} 20% ` +
      '90%)"/></g>',
    `<path d="M0 ${sea}q15-8 30 0t30 0 30 0 30 0V120H0Z" fill="hsl(${195 + Math.round(chance(4) * 30)} 50% ` +
      '55%)" opacity=".85"/>',
  ].join('')
}

function drawStones(hue: number, chance: (i: number) => number): string {
  const stones = Array.from({ length: 3 + Math.round(chance(1) * 2) }, (_, i) => {
    const [width, height] = [26 - i * 4 + chance(i + 2) * 12, 10 + chance(i + 8) * 4]
    const [x, y] = [60 + (chance(i + 14) - 0.5) * 12, 98 - i * 19]
    const fill = `hsl(${(hue + i * 12) % 360} ${12 + Math.round(chance(i + 20) * 16)}% ${42 + i * 7}%)`
    return `<ellipse cx="${x.toFixed(1)}" cy="${y}" rx="${width.toFixed(1)}" ry="${height.toFixed(1)}" fill="${fill}"/>`
  })
  return (
    `<rect width="120" height="120" fill="hsl(${(hue + 160) % 360} 30% 86%)"/><path d="M0 96h120v24H0Z" ` +
    `fill="hsl(${(hue + 160) % 360} 30% 74%)"/>${stones.join('')}`
  )
}

function drawCoin(hue: number, of: string): string {
  const letter = of.charAt(0)
  return [
    `<circle cx="60" cy="60" r="58" fill="hsl(${hue} 55% 45%)"/><circle cx="60" cy="60" r="46" fill="none" ` +
      'stroke="#fff" stroke-opacity=".6" stroke-width="4"/>',
    '<text x="60" y="80" font-family="sans-serif" font-size="58" font-weight="700" text-anchor="middle" ' +
      `fill="#fff">${letter}</text>`,
  ].join('')
}
