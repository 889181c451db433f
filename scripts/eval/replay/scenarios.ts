import { failingScenarios, passingScenarios } from './provider-scenarios.ts'
import { mendedScenarios, rightScenarios } from './right-scenarios.ts'
import type { ScenarioGroup } from './scenario.ts'
import { unsafeScenarios, wrongScenarios } from './wrong-scenarios.ts'

/** Every way in which a model may answer, well or badly, by what has to come of it. */
export const scenarioGroups: readonly ScenarioGroup[] = [
  rightScenarios,
  mendedScenarios,
  wrongScenarios,
  unsafeScenarios,
  passingScenarios,
  failingScenarios,
]
