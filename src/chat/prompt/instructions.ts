import { createHash } from 'node:crypto'
import type { ModelState } from '../../llm/model-state.ts'
import type { ChatMode } from '../chat-modes.ts'
import { buildInstructions } from './build-instructions.ts'
import type { PromptFacts } from './build-instructions.ts'
import type { SchemaForm } from './compact-schema.ts'

/** Prompts that are kept: one for each mode and state of the tools; the rest are of yesterday. */
const mostKept = 12

/**
 * The text before a conversation, made once for what there is: all turns of a kind share one text, so that two hundred of them take the room of one
 * and a provider that keeps prompts meets the same again.
 */
export class Instructions {
  readonly #kept = new Map<string, string>()
  readonly #build: typeof buildInstructions

  constructor(build = buildInstructions) {
    this.#build = build
  }

  of(facts: PromptFacts): string {
    const key = keyOf(facts)
    const text = this.#kept.get(key) ?? this.#build(facts)
    this.#kept.delete(key)
    this.#kept.set(key, text)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break
      this.#kept.delete(oldest)
    }
    return text
  }
}

/** How much of the tables a model is told: the small ones, and those on machines of one's own, read 80,000 characters slowly or not at all. */
export function schemaForm({ provider }: Pick<ModelState, 'provider'>, mode: ChatMode): SchemaForm {
  return mode === 'fast' || (provider === 'openai-compatible' && mode !== 'deep') ? 'compact' : 'full'
}

function keyOf({ texts, ...facts }: PromptFacts): string {
  return createHash('sha256')
    .update(JSON.stringify([facts, [...texts]]))
    .digest('base64')
}
