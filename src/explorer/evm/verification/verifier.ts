import type pg from 'pg'
import type { DatabasePool } from 'slonik'
import { matchCode, constructorArguments } from '../../../flow/evm/bytecode-match.ts'
import type { CodeMatch, CompiledCode } from '../../../flow/evm/bytecode-match.ts'
import { signaturesOfAbi } from '../../../flow/evm/abi-signature.ts'
import { keccak256 } from '../../../flow/evm/keccak256.ts'
import { announceChangedRows } from '../../../platform/db/listen.ts'
import { query } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'
import { limitKey } from '../../../platform/limits/clients.ts'
import type { Client } from '../../../platform/limits/clients.ts'
import { Slots } from '../../../platform/limits/slots.ts'
import { SlidingWindow } from '../../../platform/limits/sliding-window.ts'
import { fromChain } from '../../present-chain.ts'
import type { PresentChain } from '../../present-chain.ts'
import { maxCodeBytes, readEvmAccountState } from '../account-state.ts'
import { findEvmTransaction, readEvmAddressSpan, readEvmTransactions } from '../queries.ts'
import { inputOf } from '../schema.ts'
import { maxAbiBytes } from './compiler.ts'
import type { CompiledContract, CompilerInput, CompilerOutput, SolidityCompiler } from './compiler.ts'

export interface VerifierOptions {
  readonly pool: pg.Pool
  readonly database: DatabasePool
  readonly chain: PresentChain
  /** Undefined: not installed. */
  readonly compiler: SolidityCompiler | undefined
}

export interface VerificationRequest extends CompilerInput {
  /** 40 hex digits. */
  readonly address: string
  /** `v0.8.37+commit.f401782d` or `0.8.37`. */
  readonly compilerVersion: string
  /** `Token` or `contracts/Token.sol:Token`. Undefined: any contract of the sources. */
  readonly contract: string | undefined
}

export interface Verification {
  readonly match: CodeMatch
  readonly name: string
  readonly source_path: string
  readonly compiler: string
}

export const maxUploadsPerHour = 30
const maxSignatures = 2000

interface Matched {
  readonly match: CodeMatch
  readonly path: string
  readonly name: string
  readonly contract: CompiledContract
}

/** Anyone may upload a source: it is stored only if it compiles to the code of the contract. */
export class ContractVerifier {
  readonly #options: VerifierOptions
  readonly #uploads = new SlidingWindow({ max: maxUploadsPerHour, windowMs: 3_600_000 })
  readonly #slots = new Slots({
    what: 'compilations',
    max: 2,
    maxPerClient: 1,
    maxWaiting: 8,
    maxWaitingPerClient: 1,
    maxWaitMs: 30_000,
  })

  constructor(options: VerifierOptions) {
    this.#options = options
  }

  get compilerVersions(): readonly string[] {
    return this.#options.compiler === undefined ? [] : [this.#options.compiler.version]
  }

  /**
   * @throws ApiError 400, 404 `no-code`, 422 `code-mismatch`, 429, 503
   */
  async verify(request: VerificationRequest, client: Client, signal: AbortSignal): Promise<Verification> {
    const compiler = this.#compilerOf(request.compilerVersion)
    const key = limitKey(client)
    if (key !== undefined) {
      this.#uploads.require(
        key,
        (seconds) => `Too many uploads: ${maxUploadsPerHour} an hour. Try again in ${seconds} s.`,
      )
    }
    const slot = await this.#slots.enter(key, { signal })
    try {
      const state = await fromChain(readEvmAccountState(this.#options.chain, request.address, maxCodeBytes))
      if (state.codeSize === 0) {
        throw new ApiError(404, 'no-code', `EVM address 0x${request.address} has no code.`, { field: 'address' })
      }
      const output = await compiler.compile(request, signal)
      const matched = bestMatch(state.code, output, request.contract)
      await this.#store(request, state.code, output.version, matched)
      return {
        match: matched.match,
        name: matched.name,
        source_path: matched.path,
        compiler: output.version,
      }
    } finally {
      slot.leave()
    }
  }

  #compilerOf(version: string): SolidityCompiler {
    const { compiler } = this.#options
    if (compiler === undefined) {
      throw new ApiError(
        503,
        'compiler-not-installed',
        'This server cannot verify contracts: the optional package solc is not installed.',
      )
    }
    if (/^v?(\d+\.\d+\.\d+)/.exec(version)?.[1] === compiler.version) return compiler
    throw new ApiError(
      400,
      'unknown-compiler',
      `Compiler ${version} is not available. This server has ${compiler.version}.`,
      { field: 'compiler_version' },
    )
  }

  async #store(
    { address, sources }: VerificationRequest,
    code: string,
    compilerVersion: string,
    { match, path, name, contract }: Matched,
  ): Promise<void> {
    const { abi, metadata } = contract
    const signatures = signaturesOfAbi(abi ?? []).filter(({ kind }) => kind !== 'constructor')
    if (abi === null || signatures.length > maxSignatures) {
      throw new ApiError(
        400,
        'abi-too-large',
        `The ABI is too large: at most ${maxAbiBytes} bytes and ${maxSignatures} functions and events.`,
      )
    }
    const { sources: used, settings } = JSON.parse(metadata) as {
      sources: Record<string, unknown>
      settings: { compilationTarget?: unknown }
    }
    delete settings.compilationTarget
    const bySelector = new Map(
      signatures.map(({ kind, signature }) => [
        kind === 'event' ? signature.hash : signature.hash.slice(0, 8),
        JSON.stringify(signature),
      ]),
    )
    const stored = Object.fromEntries(Object.keys(used).map((each) => [each, sources[each]?.content ?? '']))
    // A full match of the same code is final.
    await query(
      this.#options.pool,
      `with contract as (
         insert into app.evm_verified_contracts as v
           (address, code_hash, match, name, source_path, compiler, settings, sources, abi, constructor_arguments)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict (address) do update set code_hash = excluded.code_hash, match = excluded.match,
           name = excluded.name, source_path = excluded.source_path, compiler = excluded.compiler,
           settings = excluded.settings, sources = excluded.sources, abi = excluded.abi,
           constructor_arguments = excluded.constructor_arguments, verified_at = now()
         where v.code_hash <> excluded.code_hash or (v.match = 'partial' and excluded.match = 'full')
         returning address
       ), gone as (
         delete from app.evm_verified_signatures s using contract c
         where s.address = c.address and s.selector <> all ($11::text[])
       )
       insert into app.evm_verified_signatures (address, selector, signature)
       select c.address, s.selector, s.signature
       from contract c cross join unnest($11::text[], $12::jsonb[]) as s (selector, signature)
       on conflict (address, selector) do update set signature = excluded.signature`,
      [
        address,
        keccak256(Buffer.from(code, 'hex')).toString('hex'),
        match,
        name,
        path,
        compilerVersion,
        JSON.stringify(settings),
        JSON.stringify(stored),
        JSON.stringify(abi),
        (await this.#constructorArguments(address, contract)) ?? null,
        [...bySelector.keys()],
        [...bySelector.values()],
      ],
    )
    await announceChangedRows(this.#options.pool)
  }

  /** Undefined if the creation is not indexed, or made by another contract. */
  async #constructorArguments(address: string, { evm }: CompiledContract): Promise<string | undefined> {
    const { database } = this.#options
    const { creation_hash: hash } = await readEvmAddressSpan(database, address)
    const place = hash === null ? undefined : await findEvmTransaction(database, hash)
    const [row] = place === undefined ? [] : await readEvmTransactions(database, [place])
    const input = row === undefined ? undefined : inputOf(row)
    if (input === undefined) return undefined
    return constructorArguments(Buffer.from(input).toString('hex'), codeOf(evm.bytecode))
  }
}

function codeOf({
  object,
  linkReferences,
  immutableReferences,
}: CompiledContract['evm']['deployedBytecode']): CompiledCode {
  const libraries = Object.values(linkReferences).flatMap((file) => Object.values(file).flat())
  return { object, open: [...libraries, ...Object.values(immutableReferences).flat()] }
}

/** @throws ApiError 422 `code-mismatch` */
function bestMatch(code: string, { contracts }: CompilerOutput, wanted: string | undefined): Matched {
  const candidates = Object.entries(contracts).flatMap(([path, ofPath]) =>
    Object.entries(ofPath)
      .filter(([name]) => wanted === undefined || wanted === name || wanted === `${path}:${name}`)
      .map(([name, contract]) => ({ path, name, contract })),
  )
  if (candidates.length === 0) {
    const names = Object.values(contracts).flatMap(Object.keys).slice(0, 10).join(', ')
    throw new ApiError(
      400,
      'unknown-contract',
      `The sources have no contract ${wanted ?? ''}. They have: ${names === '' ? 'none' : names}.`,
      { field: 'contract' },
    )
  }
  const matches = candidates.flatMap((candidate) => {
    const { deployedBytecode } = candidate.contract.evm
    // Interfaces and abstract contracts have no code.
    const match = deployedBytecode.object === '' ? undefined : matchCode(code, codeOf(deployedBytecode))
    return match === undefined ? [] : [{ ...candidate, match }]
  })
  const best = matches.find(({ match }) => match === 'full') ?? matches[0]
  if (best !== undefined) return best
  const sizes = candidates
    .slice(0, 5)
    .map(({ name, contract }) => `${name} has ${contract.evm.deployedBytecode.object.length / 2}`)
    .join(', ')
  throw new ApiError(
    422,
    'code-mismatch',
    `The compiled code differs from the contract's ${code.length / 2} bytes (${sizes}). ` +
      'Check the sources, optimizer, EVM version and libraries.',
  )
}
