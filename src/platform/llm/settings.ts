import { optionalChoice, optionalText, optionalUrl } from '../setting.ts'
import type { Setting } from '../setting.ts'

const group = 'Query service'

/** The model that writes SQL and answers in the chat. */
export const llmSettings = {
  LLM_PROVIDER: optionalChoice({
    group,
    values: ['anthropic', 'openai', 'openai-compatible', 'scripted'],
    defaultText: 'anthropic, or openai-compatible where LLM_BASE_URL is set',
    description:
      'Whose interface writes SQL from questions and answers in the chat. openai-compatible: a server that speaks chat completions, at LLM_BASE_URL. scripted: no model, for trials; it knows the example questions and nothing else.',
  }),
  LLM_API_KEY: optionalText({
    group,
    secret: true,
    description:
      'Key of the model. Without it everything works but writing SQL from questions, which says that this is to be set.',
  }),
  LLM_MODEL: optionalText({
    group,
    description: 'Name of the model. Without it a balanced one of the provider; openai-compatible has none.',
  }),
  LLM_BASE_URL: optionalUrl({
    group,
    schemes: ['http', 'https'],
    description: 'Address of the interface, with or without /v1. Without it that of the provider.',
  }),
} satisfies Record<string, Setting<unknown>>
