import type { Network } from '../network.ts'
import { catalogueTemplate } from './catalogue.ts'
import { categoryOfImports } from './import-ranking.ts'
import { normalScript } from './normal-script.ts'
import { templateRules } from './rules.ts'
import type { TemplateRule } from './rules.ts'
import { scriptMarks } from './script-marks.ts'
import { noTemplate } from './template.ts'
import type { ScriptTemplate } from './template.ts'

/** A script as its template is found. */
export interface DescribedScript {
  /** Hash of the normal form, 64 hex digits: by it operators name templates in app.script_templates. */
  readonly normalHash: string
  readonly template: ScriptTemplate
  /** By what the template was found. */
  readonly foundBy: 'catalogue' | 'rules' | 'imports' | 'nothing'
}

/**
 * The template of a script: that of the catalogue with the hash of its normal form; else the kind that its calls make it;
 * else the category of the contracts that it imports. Pure: the same script has the same template wherever it is shown.
 * Takes some 150 µs: callers keep what they get, by the hash of the script.
 */
export function scriptTemplate(script: string, network: Network): DescribedScript {
  const { imports, hash: normalHash } = normalScript(script, network)
  const known = catalogueTemplate(normalHash)
  if (known !== undefined) return { normalHash, template: known, foundBy: 'catalogue' }
  const marks = scriptMarks(script, imports)
  const rule = templateRules.find((one) => fits(one, marks))
  if (rule !== undefined)
    return { normalHash, template: { category: rule.category, label: rule.label }, foundBy: 'rules' }
  const category = categoryOfImports(imports)
  return category === undefined
    ? { normalHash, template: noTemplate, foundBy: 'nothing' }
    : { normalHash, template: { category, label: '' }, foundBy: 'imports' }
}

function fits({ all, none = [] }: TemplateRule, marks: string): boolean {
  return all.every((pattern) => pattern.test(marks)) && !none.some((pattern) => pattern.test(marks))
}
