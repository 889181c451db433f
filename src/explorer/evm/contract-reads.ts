import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { AbiInputError, encodeAbiValues } from '../../flow/evm/abi-input.ts'
import type { AbiArgument } from '../../flow/evm/abi-input.ts'
import { readAbiValues } from '../../flow/evm/abi-values.ts'
import { readFunctionsOfAbi, readFunctionsOfStandard, revertReason } from '../../flow/evm/read-functions.ts'
import type { ReadFunction } from '../../flow/evm/read-functions.ts'
import { cadence } from '../../flow/json-cdc/cadence-argument.ts'
import { ApiError } from '../../platform/errors.ts'
import { limitKey } from '../../platform/limits/clients.ts'
import type { Client } from '../../platform/limits/clients.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { Slots } from '../../platform/limits/slots.ts'
import { amountFormat, countFormat, heightFormat } from '../formats.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { evmAddressParameter } from '../parameters.ts'
import { chainProblems, fromChain, readAnswer } from '../present-chain.ts'
import type { PresentChain } from '../present-chain.ts'
import { defineRoute } from '../route.ts'
import { presentValue, valueFormat } from './schema.ts'
import { readEvmTokens } from './token-queries.ts'
import { presentEvmTokenRef, standardName, tokenStandardFormat, wholeAmount } from './token-schema.ts'
import type { EvmTokenRef } from './token-schema.ts'

const tag = 'EVM'

/** Limits of a call, and calls of a client a minute. */
export const callLimits = { gas: 10_000_000, inputBytes: 8192, resultBytes: 32_768, perMinute: 120 } as const

const digits = z.string().regex(/^\d+$/)
const callResult = z.object({
  isSuccessful: z.boolean(),
  errorMessage: z.string(),
  gasUsed: digits,
  size: digits.transform(Number),
  data: z.string().regex(/^([0-9a-f]{2})*$/),
  height: digits.transform(Number),
})

/** Read-only calls of EVM contracts. An instance counts the calls of its clients. */
export class ContractReader {
  readonly #chain: PresentChain
  readonly #calls = new SlidingWindow({ max: callLimits.perMinute })
  readonly #slots = new Slots({
    what: 'contract calls',
    max: 8,
    maxPerClient: 2,
    maxWaiting: 64,
    maxWaitingPerClient: 16,
    maxWaitMs: 10_000,
  })

  constructor(chain: PresentChain) {
    this.#chain = chain
  }

  /**
   * @param address 40 hex digits
   *
   * @throws ApiError 429, 502, 503
   */
  async call(
    address: string,
    input: Buffer,
    client: Client,
    signal: AbortSignal,
  ): Promise<z.output<typeof callResult>> {
    const key = limitKey(client)
    if (key !== undefined) {
      this.#calls.require(
        key,
        (seconds) => `Too many contract calls: ${callLimits.perMinute} a minute. Try again in ${seconds} s.`,
      )
    }
    const slot = await this.#slots.enter(key, { signal })
    try {
      const args = [
        cadence.string(address),
        cadence.string(input.toString('hex')),
        cadence.uint64(callLimits.gas),
        cadence.int(callLimits.resultBytes),
      ]
      const answer = this.#chain.run('evm_call', args)
      return await fromChain(answer.then((value) => readAnswer(callResult, value)))
    } finally {
      slot.leave()
    }
  }
}

interface Readable {
  readonly source: 'verified' | 'standard'
  readonly functions: readonly ReadFunction[]
  /** Empty if the contract is not verified. */
  readonly abi: readonly unknown[]
  /** With the decimals of its amounts. */
  readonly token: EvmTokenRef | undefined
  readonly standards: readonly number[]
}

const abiRow = z.object({ abi: z.array(z.unknown()) })
const standardRow = z.object({ standard: z.number() })

async function readFunctions(
  database: DatabasePool,
  address: string,
  network: Parameters<typeof presentEvmTokenRef>[1],
): Promise<Readable> {
  const [verified, tokens, reported] = await Promise.all([
    database.maybeOne(sql.type(abiRow)`select abi from app.evm_verified_contracts where address = ${address}`),
    readEvmTokens(database, [address]),
    database.any(sql.type(standardRow)`
      select standard from app.evm_token_metadata where token = ${address} and standard is not null
    `),
  ])
  const standards = [...new Set([...tokens, ...reported].map(({ standard }) => standard))]
  const fungible = tokens.find(({ standard }) => standard === 20)
  const token = fungible && presentEvmTokenRef(fungible, network)
  if (verified !== null) {
    const { abi } = verified
    return { source: 'verified', functions: readFunctionsOfAbi(abi), abi, token, standards }
  }
  const functions = standards.flatMap((standard) => readFunctionsOfStandard(standard))
  const distinct = new Map(functions.map((each) => [each.signature.canonical, each]))
  return { source: 'standard', functions: [...distinct.values()], abi: [], token, standards }
}

const typedName = z.strictObject({ name: z.string(), type: z.string() })

const functionSchema = z
  .strictObject({
    method_call: z.string().describe('Signature: balanceOf(address).'),
    method_id: z.string().regex(/^0x[0-9a-f]{8}$/),
    name: z.string(),
    inputs: z.array(typedName),
    outputs: z.array(typedName),
    source: z.enum(['verified', 'standard']).describe('verified: from its ABI. standard: from its token standard.'),
    standards: z.array(tokenStandardFormat).describe('Token standards of the contract.'),
  })
  .meta({ id: 'EvmReadFunction' })

const params = z.object({ address: evmAddressParameter() })

const contractFunctions = defineRoute({
  path: '/flow/evm/address/{address}/function',
  operationId: 'listReadFunctionsOfEvmContract',
  tag,
  summary: 'Functions of an EVM contract that change no state',
  description: 'From the ABI of a verified contract, else of its token standard. Empty if neither is known.',
  params,
  response: listOf(functionSchema, 'EvmReadFunction'),
  example: {
    data: [
      {
        method_call: 'balanceOf(address)',
        method_id: '0x70a08231',
        name: 'balanceOf',
        inputs: [{ name: 'account', type: 'address' }],
        outputs: [{ name: '', type: 'uint256' }],
        source: 'standard',
        standards: ['ERC-20'],
      },
    ],
    has_more: false,
    cursor: '',
    _meta: { count: 1, has_more: false },
  },
  handler: async ({ params: { address } }, { database, network }) => {
    const { functions, source, standards } = await readFunctions(database, address.slice(2), network())
    return {
      body: wholeList(
        functions.map(({ signature: { name, canonical, hash, parameters }, outputs }) => ({
          method_call: canonical,
          method_id: `0x${hash.slice(0, 8)}`,
          name,
          inputs: parameters.map(({ name: input, type }) => ({ name: input, type })),
          outputs: [...outputs],
          source,
          standards: standards.map(standardName),
        })),
      ),
    }
  },
})

const argumentSchema: z.ZodType<AbiArgument> = z
  .lazy(() => z.union([z.string(), z.number(), z.boolean(), z.array(argumentSchema)]))
  .meta({ id: 'EvmArgument' })

const callSchema = z.strictObject({
  function: z.string().max(2000).describe('Signature or selector of a function that changes no state.'),
  arguments: z
    .array(argumentSchema)
    .max(100)
    .default([])
    .describe(
      'Integers are decimal or 0x and hex digits, as strings above 2^53; addresses and bytes are 0x and hex digits; ' +
        'tuples are arrays.',
    ),
})

const resultSchema = z
  .strictObject({
    method_call: z.string(),
    method_id: functionSchema.shape.method_id,
    outputs: z.array(
      typedName.extend({
        value: valueFormat,
        amount: amountFormat.nullable().describe('In whole tokens; null if it is not an amount of the token.'),
        unit: z.string().nullable().describe('Symbol of the token; null as amount.'),
      }),
    ),
    raw_output: z.string().regex(/^0x([0-9a-f]{2})*$/),
    gas_used: amountFormat,
    state_height: heightFormat.describe('Flow block of the state.'),
    size: countFormat.describe('Bytes of raw_output.'),
  })
  .meta({ id: 'EvmCallResult' })

/** Results in units of an ERC-20 token. */
const amountFunctions: ReadonlySet<string> = new Set([
  'balanceOf(address)',
  'totalSupply()',
  'allowance(address,address)',
])

const callContract = defineRoute({
  method: 'POST',
  path: '/flow/evm/address/{address}/call',
  operationId: 'callEvmContract',
  tag,
  summary: 'Call a function of an EVM contract without a transaction',
  description:
    `Runs on an access node at the newest block. Limits: ${callLimits.gas.toLocaleString('en')} gas, ` +
    `${callLimits.inputBytes.toLocaleString('en')} bytes of arguments and ` +
    `${callLimits.resultBytes.toLocaleString('en')} bytes of result a call; 2 calls at a time and ` +
    `${callLimits.perMinute} a minute per client.`,
  params,
  maxBodyBytes: 4 * callLimits.inputBytes,
  body: callSchema,
  bodyExample: { function: 'balanceOf(address)', arguments: ['0x4e730b5a217368a61083e5cb57b01eac43a19dfa'] },
  response: singleOf(resultSchema, 'EvmCallResult'),
  problems: {
    ...chainProblems,
    404: 'The contract has no such function that changes no state, or it is unknown.',
    422: 'The call failed, or its result does not fit the function.',
  },
  example: {
    data: [
      {
        method_call: 'balanceOf(address)',
        method_id: '0x70a08231',
        outputs: [{ name: '', type: 'uint256', value: '500000000000000000', amount: '0.5', unit: 'WFLOW' }],
        raw_output: `0x${500_000_000_000_000_000n.toString(16).padStart(64, '0')}`,
        gas_used: '24111',
        state_height: 118_542_743,
        size: 32,
      },
    ],
  },
  handler: async ({ params: { address }, body, call }, { database, network, contractReader }) => {
    const { functions, abi, token } = await readFunctions(database, address.slice(2), network())
    const found = functions.find(
      ({ signature: { canonical, hash } }) =>
        canonical === body.function || `0x${hash.slice(0, 8)}` === body.function.toLowerCase(),
    )
    if (found === undefined) throw unknownFunction(address, functions)
    const { signature, outputs } = found
    const selector = signature.hash.slice(0, 8)
    const input = Buffer.concat([Buffer.from(selector, 'hex'), inputOf(found, body.arguments)])
    if (input.length > callLimits.inputBytes)
      throw invalidArguments(`must have at most ${callLimits.inputBytes} bytes when encoded, not ${input.length}`)
    const result = await contractReader.call(address.slice(2), input, call.client, call.signal)
    const data = Buffer.from(result.data, 'hex')
    if (!result.isSuccessful) {
      const reason = revertReason(data, abi) ?? (result.errorMessage.slice(0, 300) || 'no reason given')
      throw failed('call-failed', `The call of ${signature.canonical} failed: ${reason}.`)
    }
    if (result.size > data.length)
      throw failed(
        'result-too-large',
        `The result of ${signature.canonical} has ${result.size} bytes (limit: ${callLimits.resultBytes}).`,
      )
    const values = readAbiValues(
      outputs.map(({ type }) => type),
      data,
    )
    if (values === undefined)
      throw failed(
        'unexpected-result',
        data.length === 0
          ? `The call of ${signature.canonical} returned nothing: the address has no code, or no such function.`
          : `The result of ${signature.canonical} is not of its declared types: ${data.length} bytes.`,
      )
    const isAmount = amountFunctions.has(signature.canonical)
    return {
      body: {
        data: [
          {
            method_call: signature.canonical,
            method_id: `0x${selector}`,
            outputs: outputs.map(({ name, type }, i) => {
              const value = presentValue(values[i] ?? '')
              const amount =
                isAmount && token !== undefined && typeof value === 'string' ? wholeAmount(value, token) : null
              return { name, type, value, amount, unit: amount === null ? null : (token?.symbol ?? null) }
            }),
            raw_output: `0x${result.data}`,
            gas_used: result.gasUsed,
            state_height: result.height,
            size: result.size,
          },
        ],
      },
    }
  },
})

function inputOf({ signature: { parameters } }: ReadFunction, values: readonly AbiArgument[]): Buffer {
  try {
    return encodeAbiValues(
      parameters.map(({ type }) => type),
      values,
    )
  } catch (error) {
    if (!(error instanceof AbiInputError)) throw error
    if (error.path === '') throw invalidArguments(error.message)
    const parameter = parameters[Number(error.path.split('.')[0]) - 1]
    const name = parameter === undefined || parameter.name === '' ? '' : ` of "${parameter.name}"`
    throw invalidArguments(`is invalid: number ${error.path}${name} (${parameter?.type ?? ''}) ${error.message}`)
  }
}

function invalidArguments(problem: string): ApiError {
  return new ApiError(400, 'invalid-field', `Field "arguments" ${problem}.`, { field: 'arguments' })
}

function failed(code: string, text: string): ApiError {
  return new ApiError(422, code, text)
}

function unknownFunction(address: string, functions: readonly ReadFunction[]): ApiError {
  const known = functions.map(({ signature }) => signature.canonical).slice(0, 20)
  const hint =
    known.length === 0
      ? 'It is neither verified nor a known token. Verify its source first.'
      : `Known: ${known.join(', ')}${functions.length > known.length ? ', …' : ''}.`
  return new ApiError(404, 'unknown-function', `EVM contract ${address} has no such function to read. ${hint}`, {
    field: 'function',
  })
}

export const evmReadRoutes = [contractFunctions, callContract]
