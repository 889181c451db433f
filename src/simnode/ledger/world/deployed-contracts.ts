import { hash } from 'node:crypto'
import type { Account } from './account.ts'
import { personOfTurn } from './people.ts'

/** A contract as it is in an account. */
export interface ContractCode {
  readonly name: string
  readonly code: Buffer
}

/** Contracts that people deploy, one person after the other; each is updated once. */
export function gardenOwner(ordinal: number): Account {
  return personOfTurn(ordinal)
}

export function garden(ordinal: number, version: 1 | 2): ContractCode {
  const name = `Garden${ordinal}`
  const second = `
    access(all) event Watered(plant: UInt64, litres: UFix64)
    access(all) fun water(plant: UInt64, litres: UFix64) { emit Watered(plant: plant, litres: litres) }
`
  return {
    name,
    code: Buffer.from(`// A garden in which everybody may plant.
access(all) contract ${name} {
    access(all) event Planted(plant: UInt64, by: Address?)
    access(all) var plants: UInt64

    access(all) fun plant(by: Address?) {
        self.plants = self.plants + 1
        emit Planted(plant: self.plants, by: by)
    }
${version === 1 ? '' : second}
    init() { self.plants = 0 }
}
`),
  }
}

/** A contract that is removed again. */
export const passing: ContractCode = {
  name: 'Passing',
  code: Buffer.from(`// Here today, gone tomorrow.
access(all) contract Passing {
    access(all) let greeting: String
    init() { self.greeting = "Hello" }
}
`),
}

/** As the events of contracts tell it. */
export function codeHash({ code }: ContractCode): Buffer {
  return hash('sha3-256', code, 'buffer')
}
