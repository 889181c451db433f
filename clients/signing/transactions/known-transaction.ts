import { amountUnits, exactString, plainArgument } from './cadence-arguments.ts'
import { keyAlgorithms } from './make-transaction.ts'
import type { TransactionCode } from './make-transaction.ts'
import { normalScript, transactionNames, transactionScript } from './transaction-scripts.ts'
import type { FlowChain, TransactionName } from './transaction-scripts.ts'

export interface AddedKey {
  /** 128 hex digits. */
  readonly publicKey: string
  readonly signatureAlgorithm: keyof typeof keyAlgorithms.signature
  readonly hashAlgorithm: keyof typeof keyAlgorithms.hash
  /** In units of 10^-8: a full key has 1000.0. */
  readonly weight: bigint
}

/** Amounts in units of 10^-8 FLOW. */
export type KnownTransaction =
  | { readonly name: 'create-account'; readonly key: AddedKey; readonly startBalance: bigint }
  /** `to` with 0x, lower case, 16 digits. */
  | { readonly name: 'send-flow'; readonly amount: bigint; readonly to: string }
  | { readonly name: 'add-key'; readonly key: AddedKey }
  | { readonly name: 'revoke-key'; readonly keyIndex: number }
  | { readonly name: 'add-contract' | 'update-contract'; readonly contract: string; readonly code: string }

export function nameOfScript(script: string, chain: FlowChain): TransactionName | undefined {
  const normal = normalScript(script)
  return transactionNames.find((name) => normalScript(transactionScript(name, chain)) === normal)
}

/** Undefined also for arguments that the wallet does not produce. */
export function readKnownTransaction(
  { script, arguments: texts }: TransactionCode,
  chain: FlowChain,
): KnownTransaction | undefined {
  const name = nameOfScript(script, chain)
  return name === undefined ? undefined : readers[name](texts)
}

const readers: Readonly<Record<TransactionName, (texts: readonly string[]) => KnownTransaction | undefined>> = {
  'create-account': (texts) => {
    const [key, startBalance] = [keyOf(texts.slice(0, 4)), amountOf(texts[4])]
    return texts.length !== 5 || key === undefined || startBalance === undefined
      ? undefined
      : { name: 'create-account', key, startBalance }
  },
  'send-flow': ([amountText = '', toText = '', ...more]) => {
    const [amount, to] = [amountOf(amountText), plainArgument(toText, 'Address')]
    return more.length > 0 || amount === undefined || to === undefined
      ? undefined
      : { name: 'send-flow', amount, to: `0x${to.slice(2).toLowerCase().padStart(16, '0')}` }
  },
  'add-key': (texts) => {
    const key = keyOf(texts)
    return key === undefined ? undefined : { name: 'add-key', key }
  },
  'revoke-key': ([indexText = '', ...more]) => {
    const keyIndex = Number(plainArgument(indexText, 'Int'))
    return more.length > 0 || !Number.isSafeInteger(keyIndex) ? undefined : { name: 'revoke-key', keyIndex }
  },
  'add-contract': (texts) => contractOf('add-contract', texts),
  'update-contract': (texts) => contractOf('update-contract', texts),
}

function contractOf(
  name: 'add-contract' | 'update-contract',
  [nameText = '', codeText = '', ...more]: readonly string[],
): KnownTransaction | undefined {
  const [contract, code] = [plainArgument(nameText, 'String'), exactString(codeText)]
  return more.length > 0 || contract === undefined || code === undefined ? undefined : { name, contract, code }
}

function keyOf([keyText = '', signatureText = '', hashText = '', weightText = '', ...more]: readonly string[]):
  | AddedKey
  | undefined {
  const publicKey = plainArgument(keyText, 'String')
  const signatureAlgorithm = named(keyAlgorithms.signature, plainArgument(signatureText, 'UInt8'))
  const hashAlgorithm = named(keyAlgorithms.hash, plainArgument(hashText, 'UInt8'))
  const weight = amountOf(weightText)
  if (more.length > 0 || publicKey === undefined || !/^[0-9a-f]{128}$/i.test(publicKey)) return undefined
  if (signatureAlgorithm === undefined || hashAlgorithm === undefined || weight === undefined) return undefined
  return { publicKey: publicKey.toLowerCase(), signatureAlgorithm, hashAlgorithm, weight }
}

function named<Name extends string>(values: Readonly<Record<Name, number>>, raw: string | undefined): Name | undefined {
  return (Object.keys(values) as Name[]).find((name) => String(values[name]) === raw)
}

function amountOf(text: string | undefined): bigint | undefined {
  const amount = plainArgument(text ?? '', 'UFix64')
  try {
    return amount === undefined ? undefined : amountUnits(amount)
  } catch {
    return undefined
  }
}
