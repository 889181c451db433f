import { json } from './cadence-json.ts'
import type { CadenceJson } from './cadence-json.ts'
import type { ScriptAnswer } from './script-answer.ts'
import type { ItemFace } from './script-state.ts'
import { alike } from './token-answers.ts'

function item(face: ItemFace, structId: (name: string) => string): CadenceJson {
  const { edition, rarity } = face
  return json.struct(structId('Item'), {
    uuid: json.uint64(face.uuid),
    name: json.optional(face.name, json.string),
    description: json.optional(face.description, json.string),
    thumbnail: json.optional(face.thumbnail, json.string),
    externalUrl: json.optional(face.externalUrl, json.string),
    serialNumber: json.optional(face.serialNumber, json.uint64),
    editionName: json.optional(edition?.name, json.string),
    editionNumber: json.optional(edition?.number, json.uint64),
    editionMax: json.optional(edition?.max, json.uint64),
    rarityScore: json.optional(rarity?.score, json.ufix64),
    rarityDescription: json.optional(rarity?.description, json.string),
    traits: json.array(
      face.traits.map(({ name, value }) =>
        json.struct(structId('Trait'), {
          name: json.string(name),
          value: json.optional(value, json.string),
          displayType: json.optional(undefined, json.string),
          rarity: json.optional(undefined, json.string),
        }),
      ),
    ),
  })
}

/** The scripts about items and who holds them. */
export const itemAnswers = {
  nft_items: {
    arguments: 5,
    answer(state, args, structId) {
      const [owners, types, ids] = [args.addresses(0), args.strings(3), args.uint64s(4)]
      alike([owners, args.strings(1), args.strings(2), types, ids])
      return json.array(
        owners.map((owner, at) =>
          json.optional(state.item(owner, types[at] ?? '', ids[at] ?? 0n), (face) => item(face, structId)),
        ),
      )
    },
  },
  nft_holder_ids: {
    arguments: 5,
    answer(state, args, structId) {
      const ids = state.idsOf(args.address(0), args.string(2))
      const [from, count] = [args.int(3), args.int(4)]
      return json.struct(structId('Page'), {
        collections: json.int(state.collectionsOf(args.address(0), args.string(1))),
        total: json.int(ids.length),
        ids: json.array(ids.slice(from, from + count).map(json.uint64)),
      })
    },
  },
  nft_holder_check: {
    arguments: 4,
    answer(state, args) {
      const held = new Set(state.idsOf(args.address(0), args.string(2)))
      return json.array(args.uint64s(3).map((id) => json.bool(held.has(id))))
    },
  },
} as const satisfies Record<string, ScriptAnswer>
