import type { Fault } from '../../../simnode/node/faults.ts'

/** `kill -9`; the supervisor restarts them. */
export interface KillAct {
  readonly kind: 'kill'
  /** Process names. */
  readonly processes: readonly string[]
}

/** SIGTERM, as in a deployment; the supervisor restarts the process after its exit. */
export interface TerminateAct {
  readonly kind: 'terminate'
  readonly process: string
}

/** SIGSTOP, then SIGCONT after the duration of the act, which exceeds a lease. */
export interface FreezeAct {
  readonly kind: 'freeze'
  readonly process: string
}

/** Temporarily changes the clock of a process (JavaScript's `Date`). */
export interface ClockAct {
  readonly kind: 'clock'
  readonly process: string
  readonly stepMs: number
}

export interface PostgresAct {
  readonly kind: 'postgres'
  /**
   * `stop`: shuts the server down, and starts it after the duration of the act; `kill`: kills it
   * with all sessions, similar to a machine crash; `crash-session`: kills one session, after which
   * the server restarts all of them; `cut`: ends all connections.
   */
  readonly how: 'stop' | 'kill' | 'crash-session' | 'cut'
}

/** Loses the farm's queue: emptied, with its tables dropped (or Redis killed) as well. */
export interface QueueAct {
  readonly kind: 'queue'
  readonly how: 'empty' | 'destroy'
}

/** Switches the chain to another branch. */
export interface ForkAct {
  readonly kind: 'fork'
  /** Number of replaced blocks. */
  readonly depth: number
  /** Delay between the switches of the nodes, during which they contradict each other. */
  readonly apartMs: number
}

/** Injects faults into nodes of the chain. */
export interface NodeFaultAct {
  readonly kind: 'node-fault'
  readonly nodes: readonly number[]
  readonly fault: Fault
}

/** Kills the process of a node and starts it after the duration of the act. */
export interface NodeKillAct {
  readonly kind: 'node-kill'
  readonly nodes: readonly number[]
}

/** A node receives no new blocks. */
export interface NodeBehindAct {
  readonly kind: 'node-behind'
  readonly node: number
}

/** Halts the chain, then adds this many blocks at once while its clock has advanced. */
export interface HaltAct {
  readonly kind: 'halt'
  readonly burst: number
}

/** Fills the disk of the database. */
export interface DiskAct {
  readonly kind: 'disk'
}

/** The webhook receiver rejects deliveries. */
export interface ReceiverAct {
  readonly kind: 'receiver'
}

/** Injects a fault into the node on which the wallet creates accounts. */
export interface WalletNodeAct {
  readonly kind: 'wallet-node'
  /**
   * A fault; `freeze`: stops its process; `expire`: accepts no transactions, then adds so many
   * blocks at once that transactions created meanwhile expire.
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

/** An act of a plan; a second one may overlap, so that two faults combine. */
export interface PlannedAct {
  /** Counts from 1. */
  readonly number: number
  readonly act: Act
  /** Duration of acts that can be ended. */
  readonly holdMs: number
  readonly second: { readonly act: Act; readonly afterMs: number } | undefined
}
