import { amountUnits, exactString, plainArgument } from './cadence-arguments.ts'
import { contractOfType, isLostErc20, keyAlgorithms } from './make-transaction.ts'
import type { AssetType, Erc20Payment, TransactionCode } from './make-transaction.ts'
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
  | { readonly name: 'add-contract'; readonly contract: string; readonly code: string }
  | { readonly name: 'update-contract'; readonly contract: string; readonly code: string }
  | (AssetType & { readonly name: 'send-token'; readonly amount: bigint; readonly to: string })
  | (AssetType & { readonly name: 'send-nft'; readonly id: bigint; readonly to: string })
  | (AssetType & { readonly name: 'enable-token' | 'enable-collection' })
  | { readonly name: 'create-evm-account' }
  | { readonly name: 'fund-evm-account' | 'withdraw-evm-account'; readonly amount: bigint }
  /** `to` with 0x, 40 digits. */
  | { readonly name: 'send-flow-to-evm'; readonly amount: bigint; readonly to: string }
  /** Addresses with 0x, 40 digits, lower case. */
  | (Erc20Payment & { readonly name: 'send-erc20' })

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
  'send-flow': ([amountText, toText, ...more]) => {
    const [amount, to] = [amountOf(amountText), addressOf(toText)]
    return more.length > 0 || amount === undefined || to === undefined ? undefined : { name: 'send-flow', amount, to }
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
  'send-token': ([typeText, addressText, nameText, amountText, toText, ...more]) => {
    const [asset, amount, to] = [assetOf([typeText, addressText, nameText]), amountOf(amountText), addressOf(toText)]
    return more.length > 0 || asset === undefined || amount === undefined || to === undefined
      ? undefined
      : { name: 'send-token', ...asset, amount, to }
  },
  'send-nft': ([typeText, addressText, nameText, idText = '', toText, ...more]) => {
    const [asset, id, to] = [
      assetOf([typeText, addressText, nameText]),
      plainArgument(idText, 'UInt64'),
      addressOf(toText),
    ]
    return more.length > 0 || asset === undefined || id === undefined || to === undefined
      ? undefined
      : { name: 'send-nft', ...asset, id: BigInt(id), to }
  },
  'enable-token': (texts) => enabled('enable-token', assetOf(texts)),
  'enable-collection': (texts) => enabled('enable-collection', assetOf(texts)),
  'create-evm-account': (texts) => (texts.length > 0 ? undefined : { name: 'create-evm-account' }),
  'fund-evm-account': (texts) => ofAmount('fund-evm-account', texts),
  'withdraw-evm-account': (texts) => ofAmount('withdraw-evm-account', texts),
  'send-flow-to-evm': ([amountText, toText = '', ...more]) => {
    const [amount, to] = [amountOf(amountText), evmAddress(toText)]
    return more.length > 0 || amount === undefined || to === undefined
      ? undefined
      : { name: 'send-flow-to-evm', amount, to }
  },
  'send-erc20': ([tokenText = '', decimalsText = '', amountText = '', toText = '', ...more]) => {
    const [token, to] = [evmAddress(tokenText), evmAddress(toText)]
    const decimals = Number(plainArgument(decimalsText, 'UInt8'))
    const units = plainArgument(amountText, 'UInt256')
    if (more.length > 0 || token === undefined || to === undefined || isLostErc20(token, to)) return undefined
    if (units === undefined || BigInt(units) >= 2n ** 256n || !(decimals <= 255)) return undefined
    return { name: 'send-erc20', token, decimals, amount: BigInt(units), to }
  },
}

function evmAddress(text: string): string | undefined {
  const address = plainArgument(text, 'String')
  return address !== undefined && /^0x[0-9a-f]{40}$/.test(address) ? address : undefined
}

function contractOf(
  name: 'add-contract' | 'update-contract',
  [nameText = '', codeText = '', ...more]: readonly string[],
): KnownTransaction | undefined {
  const [contract, code] = [plainArgument(nameText, 'String'), exactString(codeText)]
  return more.length > 0 || contract === undefined || code === undefined ? undefined : { name, contract, code }
}

function enabled<Name extends 'enable-token' | 'enable-collection'>(
  name: Name,
  asset: AssetType | undefined,
): (AssetType & { readonly name: Name }) | undefined {
  return asset === undefined ? undefined : { name, ...asset }
}

function ofAmount<Name extends 'fund-evm-account' | 'withdraw-evm-account'>(
  name: Name,
  [text, ...more]: readonly string[],
): { readonly name: Name; readonly amount: bigint } | undefined {
  const amount = amountOf(text)
  return more.length > 0 || amount === undefined ? undefined : { name, amount }
}

/** Undefined unless the contract is that of the type. */
function assetOf([typeText = '', addressText, nameText = '', ...more]: readonly (string | undefined)[]):
  | AssetType
  | undefined {
  const type = plainArgument(typeText, 'String')
  const contract = type === undefined ? undefined : contractOfType(type)
  if (type === undefined || contract === undefined || more.length > 0) return undefined
  return addressOf(addressText) === contract.address && plainArgument(nameText, 'String') === contract.name
    ? { type }
    : undefined
}

/** With 0x, lower case, 16 digits. */
function addressOf(text: string | undefined): string | undefined {
  const address = plainArgument(text ?? '', 'Address')
  return address === undefined ? undefined : `0x${address.slice(2).toLowerCase().padStart(16, '0')}`
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
