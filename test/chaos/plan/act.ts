import type { Fault } from '../../../simnode/node/faults.ts'

/** `kill -9`; the supervisor starts them again. */
export interface KillAct {
  readonly kind: 'kill'
  /** Names of processes. */
  readonly processes: readonly string[]
}

/** SIGTERM, as a deployment sends it; the supervisor starts it again when it has ended. */
export interface TerminateAct {
  readonly kind: 'terminate'
  readonly process: string
}

/** SIGSTOP, and SIGCONT after the time of the act: longer than a lease lasts. */
export interface FreezeAct {
  readonly kind: 'freeze'
  readonly process: string
}

/** The clock that a process sees is wrong for a while: what JavaScript's `Date` says. */
export interface ClockAct {
  readonly kind: 'clock'
  readonly process: string
  readonly stepMs: number
}

export interface PostgresAct {
  readonly kind: 'postgres'
  /**
   * `stop`: it is stopped as by an administrator, and started after the time of the act; `kill`: killed with all its
   * sessions, which a crash of the machine comes close to; `crash-session`: one of its sessions is killed, on which it
   * restarts all of them by itself; `cut`: it ends all connections.
   */
  readonly how: 'stop' | 'kill' | 'crash-session' | 'cut'
}

/** The farm's queue is lost: emptied, or its tables are dropped (or Redis killed) too. */
export interface QueueAct {
  readonly kind: 'queue'
  readonly how: 'empty' | 'destroy'
}

/** The chain goes over to another branch. */
export interface ForkAct {
  readonly kind: 'fork'
  /** Blocks that are replaced. */
  readonly depth: number
  /** The nodes go over one after the other, so long apart: meanwhile they contradict each other. */
  readonly apartMs: number
}

/** Nodes of the chain do something wrong. */
export interface NodeFaultAct {
  readonly kind: 'node-fault'
  readonly nodes: readonly number[]
  readonly fault: Fault
}

/** The process of a node is killed, and started after the time of the act. */
export interface NodeKillAct {
  readonly kind: 'node-kill'
  readonly nodes: readonly number[]
}

/** A node learns of no new blocks. */
export interface NodeBehindAct {
  readonly kind: 'node-behind'
  readonly node: number
}

/** The chain stands still, and then makes so many blocks at once; its clock has gone on. */
export interface HaltAct {
  readonly kind: 'halt'
  readonly burst: number
}

/** The disk of the database has no room. */
export interface DiskAct {
  readonly kind: 'disk'
}

/** Who receives webhooks refuses them. */
export interface ReceiverAct {
  readonly kind: 'receiver'
}

/** The node on which the wallet makes accounts does something wrong. */
export interface WalletNodeAct {
  readonly kind: 'wallet-node'
  /**
   * A fault; `freeze`: its process stands still; `expire`: it takes no transaction, and then so many blocks come at
   * once that those which were made meanwhile can come into none any more.
   */
  readonly how: Fault | 'freeze' | 'expire'
}

export type Act =
  | KillAct
  | TerminateAct
  | FreezeAct
  | ClockAct
  | PostgresAct
  | QueueAct
  | ForkAct
  | NodeFaultAct
  | NodeKillAct
  | NodeBehindAct
  | HaltAct
  | DiskAct
  | ReceiverAct
  | WalletNodeAct

/** An act of a plan; a second one may come into it, so that two troubles meet. */
export interface PlannedAct {
  /** Counts from 1. */
  readonly number: number
  readonly act: Act
  /** How long it lasts, for what can be ended. */
  readonly holdMs: number
  readonly second: { readonly act: Act; readonly afterMs: number } | undefined
}
