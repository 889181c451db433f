import type { Parameter } from '../../kit/code-tokens.ts'
import type { EditorSettings } from '../answers.gen.ts'
import type { ProjectStore } from '../project/project-state.ts'
import { networkSettings } from '../settings.ts'
import type { Network, NetworkSettings } from '../types.ts'
import { AccessNode, NodeProblem } from './access-node.ts'
import { argumentValue, ArgumentProblem, inputText } from './argument-value.ts'
import type { CadenceValue } from './argument-value.ts'
import { deployScript } from './deploy-script.ts'
import { resolveImports } from './resolve-imports.ts'
import { codeShape } from './script-kind.ts'
import { sendTransaction, signerOf } from './send-transaction.ts'
import type { SendStage, SentTransaction, Signer } from './send-transaction.ts'
import { WalletProblem, WalletWindow } from './wallet-window.ts'

export interface RunState {
  readonly running: string | undefined
  /** While a transaction is being signed or sent. */
  readonly stage: SendStage | undefined
  readonly results: ReadonlyMap<string, RunResult>
  readonly typed: ReadonlyMap<string, Typed>
  /** By parameter, and of `computeLimitField`. */
  readonly problems: ReadonlyMap<string, string>
  readonly computeLimit: string
  readonly signers: Signers
  readonly isConnecting: boolean
  readonly connectProblem: string | undefined
}

/** Argument names may be any, including `constructor` and `__proto__`. */
type Typed = ReadonlyMap<string, string>

type Signers = ReadonlyMap<Network, Signer>

export type RunResult =
  | {
      readonly is: 'done'
      readonly value: CadenceValue
      readonly blockHeight: string
      readonly ms: number
    }
  | {
      readonly is: 'failed'
      readonly message: string
      readonly blockHeight?: string | undefined
      readonly ms?: number
    }
  | { readonly is: 'sent'; readonly sent: SentTransaction; readonly network: Network }

export const computeLimitField = 'compute limit'
export const maxComputeLimit = 9999
const noNode = 'No access node is configured for this network. Choose another network below.'

interface WantedTransaction {
  readonly code: string
  /** Undefined: a field has a problem. */
  readonly values: readonly CadenceValue[] | undefined
  readonly isAuthorizer: boolean
}

/** Runs the scripts of a project, and sends its transactions through the wallet. */
export class Runner {
  readonly #store: ProjectStore
  readonly #settings: EditorSettings
  readonly #listeners = new Set<() => void>()
  #state: RunState = {
    running: undefined,
    stage: undefined,
    results: new Map(),
    typed: new Map(),
    problems: new Map(),
    computeLimit: String(maxComputeLimit),
    signers: readSigners(),
    isConnecting: false,
    connectProblem: undefined,
  }
  #stop: AbortController | undefined
  #stopConnecting: AbortController | undefined

  constructor(store: ProjectStore, settings: EditorSettings) {
    this.#store = store
    this.#settings = settings
  }

  get state(): RunState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  inputOf(path: string): Typed {
    const typed = this.#state.typed.get(path)
    if (typed !== undefined) return typed
    const code = this.#store.state.files.get(path)?.trim()
    const sample = this.#settings.samples.find((one) => one.code.trim() === code)
    if (sample === undefined || code === undefined) return new Map()
    return new Map(codeShape(code).parameters.map(({ name }, at) => [name, inputText(sample.arguments[at])]))
  }

  type(path: string, name: string, text: string): void {
    this.#set({
      typed: new Map(this.#state.typed).set(path, new Map(this.inputOf(path)).set(name, text)),
      problems: this.#problemsWithout(name),
    })
  }

  typeComputeLimit(computeLimit: string): void {
    this.#set({ computeLimit, problems: this.#problemsWithout(computeLimitField) })
  }

  /** Cancels what runs. Call in the click of a user: a transaction opens the wallet. */
  run(path: string): void {
    const code = this.#store.state.files.get(path)
    if (code === undefined) return
    const shape = codeShape(code)
    if (shape.kind === 'script') this.#runScript(path, code)
    if (shape.kind === 'transaction' && shape.signers <= 1) {
      const values = this.#values(path, shape.parameters)
      this.#send(path, { code: this.resolve(code), values, isAuthorizer: shape.signers > 0 })
    }
  }

  /** Call in the click of a user. */
  deploy(path: string, change: 'add' | 'update'): void {
    const code = this.#store.state.files.get(path)
    const shape = code === undefined ? undefined : codeShape(code)
    if (code === undefined || shape?.kind !== 'contract') return
    // An update does not run init.
    const parameters = change === 'add' ? shape.parameters : []
    const values = this.#values(path, parameters)
    const source = [
      { type: 'String', value: shape.name },
      { type: 'String', value: this.resolve(code) },
    ]
    this.#send(path, {
      code: deployScript(change, parameters),
      values: values === undefined ? undefined : [...source, ...values],
      isAuthorizer: true,
    })
  }

  /** Opens the wallet, which asks for an account of the project's network. */
  connect(): void {
    const { network } = this.#store.state
    this.#stopConnecting?.abort()
    const stop = new AbortController()
    this.#stopConnecting = stop
    const finish = (change: Partial<RunState>): void => {
      if (!stop.signal.aborted) this.#set({ isConnecting: false, ...change })
    }
    try {
      const popup = this.#open('authn')
      this.#set({ isConnecting: true, connectProblem: undefined })
      popup.request(Promise.resolve({}), network, stop.signal).then(
        (answer) => {
          try {
            const signers = new Map(this.#state.signers).set(network, signerOf(answer))
            storeSigners(signers)
            finish({ signers, problems: new Map() })
          } catch (error) {
            finish({ connectProblem: problemOf(error) })
          }
        },
        (error: unknown) => finish({ connectProblem: problemOf(error) }),
      )
    } catch (error) {
      finish({ connectProblem: problemOf(error) })
    }
  }

  disconnect(): void {
    const signers = new Map(this.#state.signers)
    signers.delete(this.#store.state.network)
    storeSigners(signers)
    this.#set({ signers })
  }

  stop(): void {
    this.#stop?.abort()
    this.#stop = undefined
    if (this.#state.running !== undefined) this.#set({ running: undefined, stage: undefined })
  }

  close(): void {
    this.stop()
    this.#stopConnecting?.abort()
  }

  #runScript(path: string, code: string): void {
    const values = this.#values(path, codeShape(code).parameters)
    if (values === undefined) return
    this.#begin(path, async (network, signal) => {
      const began = performance.now()
      let blockHeight: string | undefined
      try {
        const node = new AccessNode(network.api_url)
        blockHeight = (await node.sealedBlock(signal)).height
        const value = await node.runScript(this.resolve(code), values, { height: blockHeight, signal })
        this.#finish(path, { is: 'done', value, blockHeight, ms: performance.now() - began })
      } catch (error) {
        if (!(error instanceof NodeProblem)) throw error
        this.#finish(path, { is: 'failed', message: error.message, blockHeight, ms: performance.now() - began })
      }
    })
  }

  #send(path: string, { code, values, isAuthorizer }: WantedTransaction): void {
    const signer = this.#state.signers.get(this.#store.state.network)
    if (signer === undefined) {
      this.#set({ problems: new Map() })
      return
    }
    const computeLimit = this.#readComputeLimit()
    if (values === undefined || computeLimit === undefined) return
    this.#begin(path, async ({ network, api_url: apiUrl }, signal) => {
      await sendTransaction({
        node: new AccessNode(apiUrl),
        network,
        popup: this.#open('authz'),
        signer,
        code,
        values,
        isAuthorizer,
        computeLimit,
        onStage: (stage) => this.#set({ stage }),
        onChange: (sent) => this.#show(path, { is: 'sent', sent, network }),
        signal,
      })
      this.#set({ running: undefined, stage: undefined })
    })
  }

  #begin(path: string, act: (network: NetworkSettings, signal: AbortSignal) => Promise<void>): void {
    this.stop()
    const network = networkSettings(this.#settings, this.#store.state.network)
    if (network === undefined) {
      this.#finish(path, { is: 'failed', message: noNode })
      return
    }
    const { signal } = (this.#stop = new AbortController())
    this.#set({ running: path })
    act(network, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#finish(path, { is: 'failed', message: problemOf(error) })
    })
  }

  #show(path: string, result: RunResult): void {
    this.#set({ stage: undefined, results: new Map(this.#state.results).set(path, result) })
  }

  #finish(path: string, result: RunResult): void {
    this.#show(path, result)
    this.#set({ running: undefined })
  }

  /** @throws WalletProblem */
  #open(page: 'authn' | 'authz'): WalletWindow {
    const { wallet } = this.#settings
    if (wallet === null) throw new WalletProblem('The wallet is not available.')
    return new WalletWindow(wallet.url, page)
  }

  /** As the chain receives it. */
  resolve(code: string): string {
    const { network, files } = this.#store.state
    const core = networkSettings(this.#settings, network)?.contracts ?? {}
    return resolveImports(code, { core, files, address: this.#state.signers.get(network)?.address })
  }

  #values(path: string, parameters: readonly Parameter[]): readonly CadenceValue[] | undefined {
    const typed = this.inputOf(path)
    const problems = new Map<string, string>()
    const values = parameters.flatMap(({ name, type }) => {
      try {
        return [argumentValue(type, typed.get(name) ?? '')]
      } catch (error) {
        if (!(error instanceof ArgumentProblem)) throw error
        problems.set(name, error.message)
        return []
      }
    })
    this.#set({ problems })
    return problems.size === 0 ? values : undefined
  }

  #readComputeLimit(): number | undefined {
    const text = this.#state.computeLimit.trim()
    const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
    if (limit >= 1) return limit
    this.#set({
      problems: new Map(this.#state.problems).set(
        computeLimitField,
        `The computation limit must be from 1 to ${maxComputeLimit}.`,
      ),
    })
    return undefined
  }

  #problemsWithout(name: string): ReadonlyMap<string, string> {
    const problems = new Map(this.#state.problems)
    problems.delete(name)
    return problems
  }

  #set(change: Partial<RunState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

function problemOf(error: unknown): string {
  if (error instanceof WalletProblem || error instanceof NodeProblem) return error.message
  throw error
}

const signersKey = 'flowfarm-editor-accounts'

/** Stored per tab. */
function readSigners(): Signers {
  const stored: unknown = JSON.parse(sessionStorage.getItem(signersKey) ?? '[]')
  return new Map(stored as [Network, Signer][])
}

function storeSigners(signers: Signers): void {
  sessionStorage.setItem(signersKey, JSON.stringify([...signers]))
}
