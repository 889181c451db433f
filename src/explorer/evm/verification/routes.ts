import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { signaturesOfAbi } from '../../../flow/evm/abi-signature.ts'
import { decodeParameters } from '../../../flow/evm/known-abi.ts'
import { ApiError } from '../../../platform/errors.ts'
import { timestampFormat } from '../../formats.ts'
import { singleOf } from '../../paging/pages.ts'
import { evmAddressParameter } from '../../parameters.ts'
import { chainProblems } from '../../present-chain.ts'
import { defineRoute } from '../../route.ts'
import type { Services } from '../../route.ts'
import { decodedParametersSchema, exampleEvmTokenRef, presentParameters } from '../schema.ts'
import { evmPartySchema } from '../token-schema.ts'
import { compilationMs } from './compiler.ts'
import { maxUploadsPerHour } from './verifier.ts'
import type { ContractVerifier } from './verifier.ts'

const tag = 'EVM'

const maxSourceChars = 1_000_000
const maxSources = 500

const verifiedContractSchema = z
  .strictObject({
    address: evmPartySchema.shape.hash,
    match: z
      .enum(['full', 'partial'])
      .describe('full: also the hash of the sources in the code is equal. partial: the code is equal without it.'),
    name: z.string().describe('Name in its source.'),
    source_path: z.string().describe('Source that declares it.'),
    compiler: z.string().describe('Version of solc.'),
    settings: z.record(z.string(), z.unknown()).describe('Compiler settings, as in standard JSON.'),
    sources: z.array(z.strictObject({ path: z.string(), content: z.string() })),
    abi: z.array(z.record(z.string(), z.unknown())),
    constructor_arguments: z
      .string()
      .regex(/^0x([0-9a-f]{2})*$/)
      .nullable()
      .describe('Null if the creation is not indexed.'),
    decoded_constructor: decodedParametersSchema.nullable(),
    verified_at: timestampFormat,
  })
  .meta({ id: 'EvmVerifiedContract' })

const verificationSchema = verifiedContractSchema
  .pick({ match: true, name: true, source_path: true, compiler: true })
  .meta({ id: 'EvmVerificationResult' })

const verifiedRow = z.object({
  match: z.enum(['full', 'partial']),
  name: z.string(),
  source_path: z.string(),
  compiler: z.string(),
  settings: z.record(z.string(), z.unknown()),
  sources: z.record(z.string(), z.string()),
  abi: z.array(z.record(z.string(), z.unknown())),
  constructor_arguments: z.string().nullable(),
  verified_at: z.string(),
})

async function readVerified(
  database: DatabasePool,
  address: string,
): Promise<z.output<typeof verifiedContractSchema> | undefined> {
  const row = await database.maybeOne(sql.type(verifiedRow)`
    select match, name, source_path, compiler, settings, sources, abi, constructor_arguments, verified_at
    from app.evm_verified_contracts where address = ${address}
  `)
  if (row === null) return undefined
  const { constructor_arguments: encoded, sources, source_path: path } = row
  const constructor = signaturesOfAbi(row.abi).find(({ kind }) => kind === 'constructor')?.signature
  const decoded =
    constructor === undefined || encoded === null
      ? undefined
      : decodeParameters(constructor, Buffer.from(encoded, 'hex'))
  return {
    ...row,
    address: `0x${address}`,
    sources: Object.entries(sources)
      .toSorted(([a], [b]) => Number(b === path) - Number(a === path) || (a < b ? -1 : 1))
      .map(([each, content]) => ({ path: each, content })),
    constructor_arguments: encoded === null ? null : `0x${encoded}`,
    decoded_constructor: decoded === undefined ? null : presentParameters(decoded.parameters),
  }
}

const example: z.output<typeof verifiedContractSchema> = {
  address: exampleEvmTokenRef.address,
  match: 'full',
  name: 'Counter',
  source_path: 'contracts/Counter.sol',
  compiler: '0.8.37+commit.f401782d',
  settings: { evmVersion: 'cancun', optimizer: { enabled: true, runs: 200 } },
  sources: [
    {
      path: 'contracts/Counter.sol',
      content: 'contract Counter { uint256 public count; constructor(uint256 start) { count = start; } }',
    },
  ],
  abi: [{ type: 'constructor', inputs: [{ name: 'start', type: 'uint256', internalType: 'uint256' }] }],
  constructor_arguments: `0x${'7'.padStart(64, '0')}`,
  decoded_constructor: [{ name: 'start', type: 'uint256', value: '7' }],
  verified_at: '2026-01-05T12:00:00.000Z',
}

const params = z.object({ address: evmAddressParameter() })

const verifiedContract = defineRoute({
  path: '/flow/evm/address/{address}/contract',
  operationId: 'getVerifiedEvmContract',
  tag,
  summary: 'Verified source and ABI of an EVM contract',
  params,
  response: singleOf(verifiedContractSchema, 'EvmVerifiedContract'),
  problems: { 404: 'The contract is not verified.' },
  example: { data: [example] },
  handler: async ({ params: { address } }, { database }) => {
    const found = await readVerified(database, address.slice(2))
    if (found !== undefined) return { body: { data: [found] } }
    throw new ApiError(404, 'not-verified', `The source of EVM contract ${address} is not verified.`, {
      field: 'address',
    })
  },
})

/** PostgreSQL stores no NUL, and JSON in it no lone surrogates. */
const text = (max: number): z.ZodString =>
  z
    .string()
    .max(max)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be valid Unicode without NUL')

const source = text(maxSourceChars)

const settingsSchema = z
  .object({
    optimizer: z.record(z.string(), z.unknown()).optional(),
    evmVersion: z.string().max(40).optional(),
    viaIR: z.boolean().optional(),
    remappings: z.array(text(1000)).max(500).optional(),
    libraries: z.record(text(500), z.record(text(200), text(42))).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    debug: z.record(z.string(), z.unknown()).optional(),
  })
  .describe('Settings that change the code; others are ignored.')

const standardJson = z.object({
  language: z.literal('Solidity'),
  sources: z
    .record(text(500), z.object({ content: source }))
    .refine((sources) => Object.keys(sources).length <= maxSources, `must have at most ${maxSources} sources`),
  settings: settingsSchema.default({}),
})

const uploadSchema = z
  .strictObject({
    compiler_version: z
      .string()
      .max(60)
      .regex(/^v?\d+\.\d+\.\d+/, 'must be a version, such as 0.8.37')
      .describe('Version of solc: 0.8.37 or v0.8.37+commit.f401782d. See /flow/evm/compiler.'),
    contract: text(800).optional().describe('Name, or <path>:<name>. Default: any contract of the sources.'),
    source: source.optional().describe('A single file, with the settings below.'),
    optimizer_runs: z.int().min(0).max(4_294_967_295).optional().describe('Default: without the optimizer.'),
    evm_version: z.string().max(40).optional().describe("Default: the compiler's."),
    standard_json: standardJson.optional().describe('Instead of source: the standard JSON input of solc.'),
  })
  .refine(({ source: single, standard_json: whole }) => (single === undefined) !== (whole === undefined), {
    path: ['source'],
    error: 'or standard_json is required, not both',
  })

const singlePath = 'contract.sol'

function requireVerifier({ verifier }: Services): ContractVerifier {
  if (verifier !== undefined) return verifier
  throw new ApiError(503, 'verification-disabled', 'This server does not verify contracts.')
}

const verifyContract = defineRoute({
  method: 'POST',
  path: '/flow/evm/address/{address}/contract',
  operationId: 'verifyEvmContract',
  tag,
  summary: 'Verify the source of an EVM contract',
  description:
    'Compiles the source and stores it if the result is the code of the contract. A full match replaces a partial ' +
    `one. Limit: ${maxUploadsPerHour} uploads an hour and one compilation at a time per client; ` +
    `${compilationMs / 1000} s and 512 MB for each.`,
  params,
  maxBodyBytes: 2 * maxSourceChars,
  body: uploadSchema,
  bodyExample: {
    compiler_version: '0.8.37',
    source: 'contract Counter { uint256 public count; }',
    optimizer_runs: 200,
  },
  response: singleOf(verificationSchema, 'EvmVerificationResult'),
  problems: {
    ...chainProblems,
    404: 'The address has no code.',
    422: 'The compiled code differs from the code of the contract.',
  },
  example: {
    data: [{ match: 'full', name: example.name, source_path: example.source_path, compiler: example.compiler }],
  },
  handler: async ({ params: { address }, body, call }, services) => {
    const { standard_json: whole, optimizer_runs: runs, evm_version: evmVersion } = body
    const input = whole ?? {
      sources: { [singlePath]: { content: body.source ?? '' } },
      settings: {
        optimizer: runs === undefined ? { enabled: false } : { enabled: true, runs },
        ...(evmVersion === undefined ? {} : { evmVersion }),
      },
    }
    const digits = address.slice(2)
    const request = { ...input, address: digits, compilerVersion: body.compiler_version, contract: body.contract }
    return { body: { data: [await requireVerifier(services).verify(request, call.client, call.signal)] } }
  },
})

const compilers = defineRoute({
  path: '/flow/evm/compiler',
  operationId: 'listEvmCompilers',
  tag,
  summary: 'Compilers that can verify EVM contracts',
  response: z
    .strictObject({ data: z.array(z.strictObject({ language: z.literal('Solidity'), version: z.string() })) })
    .meta({ id: 'EvmCompilers' }),
  example: { data: [{ language: 'Solidity', version: '0.8.37' }] },
  handler: (_input, { verifier }) => ({
    body: {
      data: (verifier?.compilerVersions ?? []).map((version) => ({ language: 'Solidity' as const, version })),
    },
  }),
})

export const evmVerificationRoutes = [verifiedContract, verifyContract, compilers]
