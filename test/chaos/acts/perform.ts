import type { Act } from '../plan/act.ts'
import type { ChaosWorld } from '../world/chaos-world.ts'
import { fork, faultNodes, halt, killNodes, stallNode, disturbWalletNode } from './chain-acts.ts'
import { freeze, kill, stepClock, terminate } from './process-acts.ts'
import { disturbPostgres, fillDisk, dropQueue } from './storage-acts.ts'
import type { RunningAct } from './running-act.ts'

/** Starts an act. */
export async function perform(world: ChaosWorld, act: Act): Promise<RunningAct> {
  switch (act.kind) {
    case 'kill':
      return kill(world, act)
    case 'terminate':
      return terminate(world, act)
    case 'freeze':
      return freeze(world, act)
    case 'clock':
      return stepClock(world, act)
    case 'postgres':
      return disturbPostgres(world, act)
    case 'queue':
      return dropQueue(world, act)
    case 'fork':
      return fork(world, act)
    case 'node-fault':
      return faultNodes(world, act)
    case 'node-kill':
      return killNodes(world, act)
    case 'node-behind':
      return stallNode(world, act)
    case 'halt':
      return halt(world, act)
    case 'wallet-node':
      return disturbWalletNode(world, act)
    case 'receiver':
      return refuseWebhooks(world)
    case 'disk':
      if (typeof world.disk === 'string') throw new Error(`the disk cannot be filled: ${world.disk}`)
      return fillDisk(world, world.disk)
  }
}

function refuseWebhooks({ webhooks }: ChaosWorld): RunningAct {
  webhooks?.refuse(true)
  return {
    words: 'the receiver of webhooks refused all (503) for a while',
    end: () => {
      webhooks?.refuse(false)
      return Promise.resolve()
    },
  }
}
