import data from './catalogue.json' with { type: 'json' }
import type { ScriptTemplate } from './template.ts'

/**
 * Templates by the hash of their normal form. The file lists categories, in these the names of templates, and for each
 * of these the first 16 hex digits of the hashes of all its versions: scripts of onflow/flow-core-contracts, flow-ft,
 * flow-nft, nft-storefront and flow-evm-bridge, as their history has them. `scripts/template.ts` tells the hash of
 * a script. Operators add theirs to app.script_templates.
 */
const templates: ReadonlyMap<string, ScriptTemplate> = new Map(
  Object.entries(data).flatMap(([category, labels]) =>
    Object.entries(labels as Readonly<Record<string, readonly string[]>>).flatMap(([label, hashes]) =>
      hashes.map((hash) => [hash, { category, label }] as const),
    ),
  ),
)

/** The template with this hash of its normal form (64 hex digits); undefined for scripts that are not in the catalogue. */
export function catalogueTemplate(normalHash: string): ScriptTemplate | undefined {
  return templates.get(normalHash.slice(0, 16))
}
