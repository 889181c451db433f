import { Refusal } from '../../node/refusal.ts'
import { json } from './cadence-json.ts'
import type { CadenceJson } from './cadence-json.ts'
import type { ScriptAnswer } from './script-answer.ts'

const said = (text: string): CadenceJson => json.optional(text, json.string)
const path = (text: string): CadenceJson => json.optional(text, json.path)

function socials(pages: Readonly<Record<string, string>>): CadenceJson {
  return json.dictionary(Object.entries(pages).map(([name, url]) => [json.string(name), json.string(url)]))
}

/** The scripts run over the first list and look into the others: one that is shorter ends them with an error. */
export function alike(lists: readonly (readonly unknown[])[]): void {
  const length = lists[0]?.length ?? 0
  if (lists.some((list) => list.length < length)) {
    throw new Refusal('INVALID_ARGUMENT', 'failed to execute script: array index out of bounds')
  }
}

/** The scripts about what contracts of tokens and items say. */
export const tokenAnswers = {
  ft_tokens: {
    arguments: 3,
    answer(state, args, structId) {
      const [addresses, names] = [args.addresses(0), args.strings(1)]
      alike([addresses, names, args.strings(2)])
      return json.array(
        addresses.map((address, at) =>
          json.optional(state.token(address, names[at] ?? ''), (token) =>
            json.struct(structId('Token'), {
              name: said(token.name),
              symbol: said(token.symbol),
              description: said(token.description),
              externalUrl: said(token.externalUrl),
              logo: said(token.logo),
              socials: socials(token.socials),
              vaultPath: path(token.vaultPath),
              receiverPath: path(token.receiverPath),
              balancePath: path(token.balancePath),
              totalSupply: json.optional(token.totalSupply, json.ufix64),
            }),
          ),
        ),
      )
    },
  },
  nft_collections: {
    arguments: 3,
    answer(state, args, structId) {
      const [addresses, names] = [args.addresses(0), args.strings(1)]
      alike([addresses, names, args.strings(2)])
      return json.array(
        addresses.map((address, at) =>
          json.optional(state.collection(address, names[at] ?? ''), (face) =>
            json.struct(structId('Collection'), {
              name: said(face.name),
              description: said(face.description),
              externalUrl: said(face.externalUrl),
              squareImage: said(face.squareImage),
              bannerImage: said(face.bannerImage),
              socials: socials(face.socials),
              storagePath: path(face.storagePath),
              publicPath: path(face.publicPath),
            }),
          ),
        ),
      )
    },
  },
  evm_addresses: {
    arguments: 1,
    answer: (state, args) =>
      json.array(args.strings(0).map((type) => json.optional(state.evmAddress(type), json.string))),
  },
} as const satisfies Record<string, ScriptAnswer>
