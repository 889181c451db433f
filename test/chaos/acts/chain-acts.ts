import type { ForkAct, HaltAct, NodeBehindAct, NodeFaultAct, NodeKillAct, WalletNodeAct } from '../plan/act.ts'
import type { ChaosWorld } from '../world/chaos-world.ts'
import type { SimulatedNode } from '../world/simulated-node.ts'
import type { RunningAct } from './running-act.ts'
import { pause } from '../../../src/platform/retry.ts'

function nodesOf({ chain }: ChaosWorld, numbers: readonly number[]): readonly SimulatedNode[] {
  return chain.nodes.filter((_, i) => numbers.includes(i))
}

function nameOf({ chain }: ChaosWorld, numbers: readonly number[]): string {
  return numbers.length === chain.nodes.length
    ? 'all nodes'
    : `node ${numbers.map((number) => number + 1).join(' and ')}`
}

export async function fork({ chain }: ChaosWorld, { depth, apartMs }: ForkAct): Promise<RunningAct> {
  const head = chain.head
  const after = await chain.fork(depth, apartMs)
  const apart = apartMs === 0 ? '' : `, on which nodes disagreed for ${apartMs} ms`
  return { words: `a fork replaced the last ${head - after} blocks${apart}` }
}

export async function faultNodes(world: ChaosWorld, { nodes: numbers, fault }: NodeFaultAct): Promise<RunningAct> {
  const nodes = nodesOf(world, numbers)
  await Promise.all(nodes.map((node) => node.inject(fault)))
  return {
    words: `${nameOf(world, numbers)} had the fault ${JSON.stringify(fault)}`,
    end: async () => {
      await Promise.all(nodes.map((node) => node.clearFaults()))
    },
  }
}

export async function killNodes(world: ChaosWorld, { nodes: numbers }: NodeKillAct): Promise<RunningAct> {
  const nodes = nodesOf(world, numbers)
  await Promise.all(nodes.map((node) => node.kill()))
  return {
    words: `${nameOf(world, numbers)} died (kill -9) and came back`,
    end: async () => {
      await Promise.all(nodes.map((node) => node.start()))
    },
  }
}

export function stallNode(world: ChaosWorld, { node: number }: NodeBehindAct): RunningAct {
  const [node] = nodesOf(world, [number])
  if (node !== undefined) world.chain.leaveBehind(node)
  return {
    words: `node ${number + 1} received no new blocks for a while`,
    end: () => {
      if (node !== undefined) world.chain.catchUp(node)
      return Promise.resolve()
    },
  }
}

export function halt({ chain }: ChaosWorld, { burst }: HaltAct): RunningAct {
  chain.halt()
  return {
    words: `the chain stopped, then produced ${burst} blocks at once`,
    end: () => {
      chain.burst(burst)
      chain.run()
      return Promise.resolve()
    },
  }
}

/** Exceeds the maximum age of a reference block, including the margin of nodes. */
const expiryBlocks = 700

/** Maximum wait for account requests, so that some transactions can expire. */
const wantedWithinMs = 5000

/** Number of wallet transactions in flight; undefined while the database does not respond. */
async function underWay({ postgres }: ChaosWorld): Promise<number | undefined> {
  if (!postgres.isUp) return undefined
  try {
    const {
      rows: [row],
    } = await postgres.pool.query<{ count: number }>(
      'select count(*)::int as count from wallet.payer_transactions where outcome is null',
    )
    return row?.count
  } catch {
    return undefined
  }
}

export async function disturbWalletNode(world: ChaosWorld, { how }: WalletNodeAct): Promise<RunningAct> {
  const { walletChain } = world
  if (how === 'freeze') {
    walletChain.freeze()
    return {
      words: "the node of the wallet's chain stood still (SIGSTOP), and went on",
      end: async () => {
        walletChain.thaw()
        await walletChain.settled()
      },
    }
  }
  if (how === 'expire') {
    await walletChain.inject({ kind: 'status', code: 'UNAVAILABLE', methods: ['SendTransaction'] })
    return {
      words: `the node of the wallet's chain accepted no transactions, then produced ${expiryBlocks} blocks at once`,
      end: async () => {
        const giveUpAt = performance.now() + wantedWithinMs
        while (performance.now() < giveUpAt && (await underWay(world)) === 0) await pause(20)
        walletChain.grow(expiryBlocks)
        await walletChain.settled()
        await walletChain.clearFaults()
      },
    }
  }
  await walletChain.inject(how)
  return {
    words: `the node of the wallet's chain had the fault ${JSON.stringify(how)}`,
    end: () => walletChain.clearFaults(),
  }
}
