import { few, known } from './scenario.ts'
import type { ScenarioGroup } from './scenario.ts'

/** Trouble that passes: asked again, the provider answers. */
export const passingScenarios: ScenarioGroup = {
  title: 'A provider in trouble that passes: it is asked again, and the answer is right',
  scenarios: [
    {
      name: 'busy',
      about: '429 with Retry-After, then the known statement',
      questions: 1,
      expected: 'right',
      turns: (gold) => [{ status: 429, message: 'Slow down', retryAfter: '0' }, known(gold)],
    },
    {
      name: 'broken-once',
      about: 'a connection that ends within the reply, then the known statement',
      questions: 1,
      expected: 'right',
      turns: (gold) => ['broken', known(gold)],
    },
  ],
}

/** No statement comes of these, and whoever asked is told why. */
export const failingScenarios: ScenarioGroup = {
  title: 'No statement at all: whoever asked is told why',
  scenarios: [
    {
      name: 'refusing',
      about: 'a model that will not',
      questions: few,
      expected: 'failed: model-without-sql',
      turns: () => [{ text: 'I am sorry, but I cannot help with that.' }],
    },
    {
      name: 'down',
      about: '503 every time',
      questions: 1,
      expected: 'failed: model-failed',
      turns: () => [{ status: 503, message: 'Overloaded', retryAfter: '0' }],
    },
    {
      name: 'no-key',
      about: '401: the key is not taken',
      questions: 1,
      expected: 'failed: model-failed',
      turns: () => [{ status: 401, message: 'No such key' }],
    },
    {
      name: 'silent',
      about: 'no reply in the time that a reply may take',
      questions: 1,
      isSilent: true,
      expected: 'failed: model-failed',
      turns: () => ['silence'],
    },
  ],
}
