import { expect } from 'chai'
import type { PayloadFields } from '../payload-value.ts'
import { readTokenMoves } from './read-token-moves.ts'
import {
  alice,
  bob,
  brief,
  carol,
  deposited,
  evmAccount,
  flow,
  itemDeposited,
  itemWithdrawn,
  topShot,
  transactionOf,
  usd,
  withdrawn,
} from './token-events.test-support.ts'
import type { TestEvent } from './token-events.test-support.ts'
import type { TokenMoves } from './token-moves.ts'

const flowFees = '0xf919ee77447b7497'
const bridge = '0x1e4aa0b87d10b141'

function read(...events: readonly TestEvent[]): TokenMoves {
  return readTokenMoves(transactionOf(events), 'mainnet')
}

function readWithScript(script: string, ...events: readonly TestEvent[]): TokenMoves {
  return readTokenMoves(transactionOf(events, script), 'mainnet')
}

describe('readTokenMoves', () => {
  it('counts a move once if both the standard and the contract emit it', () => {
    const moves = read(
      [`${flow}.TokensWithdrawn`, { amount: '1.00000000', from: alice }],
      withdrawn(`${flow}.Vault`, { amount: '1.00000000', from: alice }),
      [`${flow}.TokensDeposited`, { amount: '1.00000000', to: bob }],
      deposited(`${flow}.Vault`, { amount: '1.00000000', to: bob }),
    )
    expect(brief(moves)).to.deep.equal([`${flow} ${alice} ${bob} 1 transfer`])
    expect(moves.changes).to.deep.equal([])
  })

  it('uses contract events before Cadence 1.0, when the standard emitted none', () => {
    const moves = read(
      [`${usd}.TokensWithdrawn`, { amount: '1.00000000', from: alice }],
      [`${usd}.TokensDeposited`, { amount: '1.00000000', to: bob }],
      [`${topShot}.Withdraw`, { id: '7', from: alice }],
      [`${topShot}.Deposit`, { id: '7', to: bob }],
      [`${flow}.TokensWithdrawn`, { amount: '0.00001000', from: alice }],
      [`${flow}.TokensDeposited`, { amount: '0.00001000', to: flowFees }],
      ['A.f919ee77447b7497.FlowFees.TokensDeposited', { amount: '0.00001000' }],
    )
    expect(brief(moves)).to.deep.equal([
      `${usd} ${alice} ${bob} 1 transfer`,
      `${flow} ${alice} ${flowFees} 0.00001 fee`,
      `${topShot} #7 ${alice} ${bob} transfer`,
    ])
    expect(moves.changes.map(({ token, address, units }) => `${token} ${address} ${units}`)).to.deep.equal([
      `${usd} ${alice} -100000000`,
      `${usd} ${bob} 100000000`,
      `${flow} ${alice} -1000`,
      `${flow} ${flowFees} 1000`,
    ])
    expect(moves.problems).to.deep.equal([])
  })

  it('uses mint and burn events only as the reason', () => {
    expect(
      brief(
        read(
          [`${usd}.TokensMinted`, { amount: '5.00000000' }],
          deposited(`${usd}.Vault`, { amount: '5.00000000', to: bob }),
        ),
      ),
    ).to.deep.equal([`${usd} - ${bob} 5 mint`])
    expect(
      brief(
        read(
          withdrawn(`${usd}.Vault`, { amount: '5.00000000', from: alice }),
          withdrawn(`${usd}.Vault`, { amount: '4.00000000', from: alice, withdrawnUUID: '8' }),
          [`${usd}.TokensBurned`, { amount: '5.00000000' }],
        ),
      ),
    ).to.deep.equal([`${usd} ${alice} - 5 burn`, `${usd} ${alice} - 4 withdrawal`])
  })

  it('treats undelivered FLOW as burned if the script can burn and no event explains it', () => {
    const script = 'import Burner from 0xf233dcee88fe0abe\ntransaction {}'
    const flowLeft = withdrawn(`${flow}.Vault`, { amount: '5.00000000', from: alice })
    expect(brief(readWithScript(script, flowLeft))).to.deep.equal([`${flow} ${alice} - 5 burn`])
    for (const other of ['// import Burner from 0xf233dcee88fe0abe', 'import Burner from 0xa1']) {
      expect(brief(readWithScript(other, flowLeft)), other).to.deep.equal([`${flow} ${alice} - 5 withdrawal`])
    }
    const burned: TestEvent = [
      'A.f233dcee88fe0abe.FungibleToken.Burned',
      { type: `${usd}.Vault`, amount: '1.00000000', fromUUID: '8' },
    ]
    expect(
      brief(
        readWithScript(
          script,
          withdrawn(`${usd}.Vault`, { amount: '5.00000000', from: alice }),
          withdrawn(`${usd}.Vault`, { amount: '1.00000000', from: alice, withdrawnUUID: '8' }),
          burned,
        ),
      ),
    ).to.deep.equal([`${usd} ${alice} - 5 withdrawal`, `${usd} ${alice} - 1 burn`])
  })

  it('labels item mints and burns by the events of the collection', () => {
    const minted = read([`${topShot}.MomentMinted`, { momentID: '7', serialNumber: '1' }], itemDeposited(bob))
    expect(brief(minted)).to.deep.equal([`${topShot} #7 - ${bob} mint`])
    expect(brief(read(itemWithdrawn(bob), [`${topShot}.MomentDestroyed`, { id: '7' }]))).to.deep.equal([
      `${topShot} #7 ${bob} - burn`,
    ])
    // Collection events about one item do not apply to others.
    expect(
      brief(
        read(
          itemWithdrawn(bob),
          itemWithdrawn(bob, { id: '8', uuid: '10' }),
          [`${topShot}.Burned`, { ids: ['8'] }],
          itemDeposited(alice, { id: '6', uuid: '11' }),
          [`${topShot}.Minted`, { id: '5' }],
        ),
      ),
    ).to.deep.equal([
      `${topShot} #7 ${bob} - withdrawal`,
      `${topShot} #8 ${bob} - burn`,
      `${topShot} #6 - ${alice} deposit`,
    ])
    expect(brief(read(itemWithdrawn(bob), [`${topShot}.Burned`, {}]))).to.deep.equal([`${topShot} #7 ${bob} - burn`])
  })

  it("reads items of collections that emit only the standard's events, with their ids", () => {
    const moves = read(itemWithdrawn(alice), itemDeposited(bob))
    expect(moves.fungible).to.deep.equal([])
    expect(moves.nonFungible).to.deep.equal([
      { eventIndex: 1, token: topShot, id: '7', uuid: '9', from: alice, to: bob, type: 'transfer' },
    ])
  })

  it('counts an item once if the collection emits the move too', () => {
    expect(
      brief(
        read(
          [`${topShot}.Withdraw`, { id: '7', from: alice }],
          itemWithdrawn(alice),
          [`${topShot}.Deposit`, { id: '7', to: bob }],
          itemDeposited(bob),
        ),
      ),
    ).to.deep.equal([`${topShot} #7 ${alice} ${bob} transfer`])
  })

  it('has one transfer for a mint with its deposit, and for a withdrawal with its burn', () => {
    expect(
      brief(
        read(
          [`${usd}.TokensMinted`, { amount: '5.00000000' }],
          [`${usd}.TokensDeposited`, { amount: '5.00000000', to: bob }],
          deposited(`${usd}.Vault`, { amount: '5.00000000', to: bob }),
        ),
      ),
    ).to.deep.equal([`${usd} - ${bob} 5 mint`])
    expect(
      brief(
        read(
          [`${usd}.TokensMinted`, { amount: '5.00000000' }],
          [`${usd}.TokensDeposited`, { amount: '5.00000000', to: bob }],
        ),
      ),
      'before Cadence 1.0',
    ).to.deep.equal([`${usd} - ${bob} 5 mint`])
    expect(
      brief(
        read(
          [`${usd}.TokensWithdrawn`, { amount: '5.00000000', from: bob }],
          [`${usd}.TokensBurned`, { amount: '5.00000000' }],
        ),
      ),
      'before Cadence 1.0',
    ).to.deep.equal([`${usd} ${bob} - 5 burn`])
  })

  it('labels no more than the minted amount as minted', () => {
    expect(
      brief(
        read(
          [`${usd}.TokensMinted`, { amount: '5.00000000' }],
          deposited(`${usd}.Vault`, { amount: '3.00000000', to: bob, depositedUUID: '4' }),
          deposited(`${usd}.Vault`, { amount: '2.00000000', to: carol, depositedUUID: '5' }),
          deposited(`${usd}.Vault`, { amount: '8.00000000', to: alice, depositedUUID: '6' }),
        ),
      ),
    ).to.deep.equal([`${usd} - ${bob} 3 mint`, `${usd} - ${carol} 2 mint`, `${usd} - ${alice} 8 deposit`])
  })

  it('separates moves of equal amounts and does not split up split vaults', () => {
    const one = '1.00000000'
    expect(
      brief(
        read(
          withdrawn(`${usd}.Vault`, { amount: one, from: alice, withdrawnUUID: '11' }),
          withdrawn(`${usd}.Vault`, { amount: one, from: bob, withdrawnUUID: '12' }),
          deposited(`${usd}.Vault`, { amount: one, to: alice, depositedUUID: '12' }),
          deposited(`${usd}.Vault`, { amount: one, to: carol, depositedUUID: '11' }),
        ),
      ),
    ).to.deep.equal([`${usd} ${bob} ${alice} 1 transfer`, `${usd} ${alice} ${carol} 1 transfer`])
    expect(
      brief(
        read(
          withdrawn(`${usd}.Vault`, { amount: '3.00000000', from: alice, withdrawnUUID: '11' }),
          withdrawn(`${usd}.Vault`, { amount: one, from: null, fromUUID: '11', withdrawnUUID: '12' }),
          deposited(`${usd}.Vault`, { amount: one, to: bob, depositedUUID: '12' }),
          deposited(`${usd}.Vault`, { amount: '2.00000000', to: carol, depositedUUID: '11' }),
        ),
      ),
    ).to.deep.equal([`${usd} ${alice} ${bob} 1 transfer`, `${usd} ${alice} ${carol} 2 transfer`])
  })

  it('has the EVM receiver of bridged tokens, and the amount that the bridge locks', () => {
    const amount = '4.00000000'
    const toEvm: TestEvent = [
      'A.1e4aa0b87d10b141.IFlowEVMTokenBridge.BridgedTokensToEVM',
      {
        type: `${usd}.Vault`,
        amount,
        bridgedUUID: '2',
        to: 'E'.repeat(40),
        evmContractAddress: 'a'.repeat(40),
        bridgeAddress: bridge,
      },
    ]
    expect(
      brief(
        read(
          withdrawn(`${usd}.Vault`, { amount, from: alice }),
          toEvm,
          deposited(`${usd}.Vault`, { amount, to: bridge }),
        ),
      ),
    ).to.deep.equal([`${usd} ${alice} ${evmAccount} 4 bridge`, `${usd} - ${bridge} 4 escrow`])
    // The bridge destroys tokens that originate in EVM.
    const burned: TestEvent = [
      'A.f233dcee88fe0abe.FungibleToken.Burned',
      { type: `${usd}.Vault`, amount, fromUUID: '2' },
    ]
    for (const end of [burned, [`${usd}.TokensBurned`, { amount }] as const]) {
      expect(brief(read(withdrawn(`${usd}.Vault`, { amount, from: alice }), toEvm, end))).to.deep.equal([
        `${usd} ${alice} ${evmAccount} 4 bridge`,
      ])
    }
  })

  it('has the EVM sender of bridged tokens, whether unlocked or minted', () => {
    const amount = '4.00000000'
    const fromEvm: TestEvent = [
      'A.1e4aa0b87d10b141.IFlowEVMTokenBridge.BridgedTokensFromEVM',
      {
        type: `${usd}.Vault`,
        amount: '4000000',
        bridgedUUID: '2',
        caller: 'e'.repeat(40),
        evmContractAddress: 'a'.repeat(40),
        bridgeAddress: bridge,
      },
    ]
    const arrival = deposited(`${usd}.Vault`, { amount, to: bob })
    expect(brief(read(withdrawn(`${usd}.Vault`, { amount, from: bridge }), fromEvm, arrival))).to.deep.equal([
      `${usd} ${bridge} - 4 escrow`,
      `${usd} ${evmAccount} ${bob} 4 bridge`,
    ])
    const made = read([`${usd}.TokensMinted`, { amount }], fromEvm, arrival)
    expect(brief(made)).to.deep.equal([`${usd} ${evmAccount} ${bob} 4 bridge`])
    expect(
      made.vaults.map(({ owner }) => owner),
      'no vault lies in EVM',
    ).to.have.members([undefined, bob])
    expect(
      brief(
        read(
          fromEvm,
          withdrawn(`${usd}.Vault`, { amount: '1.00000000', from: null, fromUUID: '2', withdrawnUUID: '5' }),
          deposited(`${usd}.Vault`, { amount: '1.00000000', to: bob, depositedUUID: '5' }),
          deposited(`${usd}.Vault`, { amount: '3.00000000', to: carol }),
        ),
      ),
      'split',
    ).to.deep.equal([`${usd} ${evmAccount} ${bob} 1 bridge`, `${usd} ${evmAccount} ${carol} 3 bridge`])
  })

  it('has the EVM sender and receiver of bridged items', () => {
    const crossing = {
      type: `${topShot}.NFT`,
      id: '7',
      uuid: '9',
      evmID: '7',
      evmContractAddress: 'a'.repeat(40),
      bridgeAddress: bridge,
    }
    const reported = (name: string, fields: PayloadFields): TestEvent => [
      `A.1e4aa0b87d10b141.IFlowEVMNFTBridge.${name}`,
      { ...crossing, ...fields },
    ]
    const toEvm = reported('BridgedNFTToEVM', { to: 'e'.repeat(40) })
    expect(brief(read(itemWithdrawn(alice), toEvm, itemDeposited(bridge)))).to.deep.equal([
      `${topShot} #7 ${alice} ${evmAccount} bridge`,
      `${topShot} #7 - ${bridge} escrow`,
    ])
    const fromEvm = reported('BridgedNFTFromEVM', { caller: 'e'.repeat(40) })
    expect(brief(read(itemWithdrawn(bridge), fromEvm, itemDeposited(bob)))).to.deep.equal([
      `${topShot} #7 ${bridge} - escrow`,
      `${topShot} #7 ${evmAccount} ${bob} bridge`,
    ])
    expect(brief(read([`${topShot}.Minted`, { id: '7' }], fromEvm, itemDeposited(bob)))).to.deep.equal([
      `${topShot} #7 ${evmAccount} ${bob} bridge`,
    ])
    const problem = read(itemWithdrawn(alice), reported('BridgedNFTToEVM', { to: 'nobody' }), itemDeposited(bridge))
    expect(brief(problem)).to.deep.equal([`${topShot} #7 ${alice} ${bridge} transfer`])
    expect(problem.problems.map(({ message }) => message)).to.deep.equal(['field to is not an EVM address'])
  })

  it('recognizes FLOW staked and unstaked, in current events and before Cadence 1.0', () => {
    const staking = '0x8624b52f9ddcd04a'
    const reported = (name: string, fields: PayloadFields): TestEvent => [
      `A.8624b52f9ddcd04a.FlowIDTableStaking.${name}`,
      { nodeID: 'n', ...fields },
    ]
    const [five, amount] = ['5.00000000', { amount: '5.00000000' }]
    expect(
      brief(
        read(
          withdrawn(`${flow}.Vault`, { amount: five, from: alice }),
          reported('DelegatorTokensCommitted', amount),
          deposited(`${flow}.Vault`, { amount: five, to: staking }),
        ),
      ),
    ).to.deep.equal([`${flow} ${alice} ${staking} 5 stake`])
    expect(
      brief(
        read([`${flow}.TokensWithdrawn`, { ...amount, from: alice }], reported('TokensCommitted', amount), [
          `${flow}.TokensDeposited`,
          { ...amount, to: staking },
        ]),
      ),
    ).to.deep.equal([`${flow} ${alice} ${staking} 5 stake`])
    expect(
      brief(
        read(
          [`${flow}.TokensWithdrawn`, { ...amount, from: alice }],
          reported('NewNodeCreated', { role: '1', amountCommitted: five }),
        ),
      ),
      'without a deposit',
    ).to.deep.equal([`${flow} ${alice} ${staking} 5 stake`])
    expect(
      brief(
        read(
          reported('UnstakedTokensWithdrawn', amount),
          [`${flow}.TokensWithdrawn`, { ...amount, from: staking }],
          [`${flow}.TokensDeposited`, { ...amount, to: alice }],
        ),
      ),
    ).to.deep.equal([`${flow} ${staking} ${alice} 5 unstake`])
  })

  it('distinguishes the fee from a transfer of the same amount to the same account', () => {
    const moves = read(
      withdrawn(`${flow}.Vault`, { amount: '0.00001000', from: alice }),
      deposited(`${flow}.Vault`, { amount: '0.00001000', to: flowFees }),
      withdrawn(`${flow}.Vault`, { amount: '0.00001000', from: alice, withdrawnUUID: '4' }),
      deposited(`${flow}.Vault`, { amount: '0.00001000', to: flowFees, depositedUUID: '4' }),
      ['A.f919ee77447b7497.FlowFees.FeesDeducted', { amount: '0.00001000' }],
    )
    expect(moves.fungible.map(({ type }) => type)).to.deep.equal(['transfer', 'fee'])
  })

  it('recognizes the fee for each fee account of the network', () => {
    const fee: TestEvent = ['A.f919ee77447b7497.FlowFees.FeesDeducted', { amount: '0.00001000' }]
    expect(
      read(
        ['A.f919ee77447b7497.FlowFees.ChildFeeAccountsChanged', { addresses: [carol] }],
        withdrawn(`${flow}.Vault`, { amount: '7.00000000', from: alice, withdrawnUUID: '4' }),
        deposited(`${flow}.Vault`, { amount: '7.00000000', to: bob, depositedUUID: '4' }),
        withdrawn(`${flow}.Vault`, { amount: '0.00001000', from: alice }),
        deposited(`${flow}.Vault`, { amount: '0.00001000', to: carol, toUUID: '6' }),
        fee,
      ).fungible.map(({ to, type }) => [to, type]),
    ).to.deep.equal([
      [bob, 'transfer'],
      [carol, 'fee'],
    ])
  })

  it('looks for the fee only directly before the fee event', () => {
    const fee: TestEvent = ['A.f919ee77447b7497.FlowFees.FeesDeducted', { amount: '1.00000000' }]
    const pay = (amount: string, vault: string): TestEvent[] => [
      withdrawn(`${flow}.Vault`, { amount, from: alice, withdrawnUUID: vault }),
      deposited(`${flow}.Vault`, { amount, to: flowFees, depositedUUID: vault }),
    ]
    const typesOf = (...events: TestEvent[]): string[] => read(...events).fungible.map(({ type }) => type)
    expect(typesOf(...pay('1.00000000', '4'), fee, ...pay('1.00000000', '5'))).to.deep.equal(['fee', 'transfer'])
    expect(typesOf(...pay('1.00000000', '4'), ...pay('2.00000000', '5'), fee)).to.deep.equal(['transfer', 'transfer'])
    const found = deposited(`${flow}.Vault`, { amount: '1.00000000', to: flowFees, depositedUUID: '6' })
    expect(typesOf(found, fee), 'a fee comes out of an account').to.deep.equal(['deposit'])
  })

  it('separates vault types of one contract', () => {
    const moves = read(
      deposited(`${usd}.Vault`, { amount: '1.00000000', to: bob }),
      deposited(`${usd}.Escrow`, {
        amount: '2.00000000',
        to: bob,
        toUUID: '5',
        depositedUUID: '6',
      }),
    )
    expect(moves.fungible.map(({ token }) => token)).to.deep.equal([usd, `${usd}.Escrow`])
  })

  it('ignores events of the same names from other contracts', () => {
    const moves = read(
      ['A.f919ee77447b7497.FlowFees.TokensDeposited', { amount: '1.00000000' }],
      ['A.f919ee77447b7497.FlowFees.TokensWithdrawn', { amount: '1.00000000' }],
      ['A.00000000000000d1.Vault.Withdrawn', { amount: '1.00000000', from: bob }],
      ['A.00000000000000d1.Vesting.TokensDeposited', { amount: '1.00000000', to: bob, schedule: '7' }],
      ['A.00000000000000d1.Bank.Deposit', { amount: '1.00000000', to: bob }],
      ['A.00000000000000d1.Arcade.TokensDeposited', { amount: '5', to: bob }],
      ['A.00000000000000d1.Arcade.TokensDeposited', { amount: '5.00000000', to: 'bob' }],
      ['A.00000000000000d1.Arcade.Withdraw', { id: 'sword', from: null }],
      ['A.00000000000000d1.FungibleToken.Deposited', { type: `${flow}.Vault`, amount: '1.00000000', to: bob }],
    )
    expect(brief(moves)).to.deep.equal([])
    expect(moves.problems).to.deep.equal([])
  })

  it('records a problem and no row for a malformed standard event', () => {
    const good: PayloadFields = {
      type: `${flow}.Vault`,
      amount: '1.00000000',
      to: bob,
      toUUID: '3',
      depositedUUID: '2',
      balanceAfter: '9.00000000',
    }
    const bad: PayloadFields[] = [
      { type: 'Vault' },
      { type: null },
      { amount: '1' },
      { amount: '-1.00000000' },
      { amount: null },
      { to: '0x1' },
      { to: [] },
      { toUUID: 'x' },
      { toUUID: '' },
      { depositedUUID: '9223372036854775808' },
      { balanceAfter: true },
    ]
    for (const fields of bad) {
      const moves = read(['A.f233dcee88fe0abe.FungibleToken.Deposited', { ...good, ...fields }])
      expect(brief(moves), JSON.stringify(fields)).to.deep.equal([])
      expect(moves.vaults).to.deep.equal([])
      expect(moves.problems.map(({ code, eventIndex, eventType }) => [code, eventIndex, eventType])).to.deep.equal([
        ['token-event-shape', 0, 'A.f233dcee88fe0abe.FungibleToken.Deposited'],
      ])
    }
    expect(brief(read(['A.f233dcee88fe0abe.FungibleToken.Deposited', undefined]))).to.deep.equal([])
  })

  // Transaction df4c0671f7c00829b2f16f685e150548881aabac4a77227f6764147743ebcb7a of mainnet.
  it('reads a mainnet delegation as a stake, with the fee paid by another account', () => {
    const [delegator, staking, payer] = ['0x43b5b87eac607406', '0x8624b52f9ddcd04a', '0x55e1dd4d35647e67']
    const [amount, fee] = ['16989.00000000', '0.00002299']
    expect(
      brief(
        read(
          [`${flow}.TokensWithdrawn`, { amount, from: delegator }],
          withdrawn(`${flow}.Vault`, {
            amount,
            from: delegator,
            fromUUID: '168225280785852',
            withdrawnUUID: '245191095274890',
          }),
          [
            'A.8624b52f9ddcd04a.FlowIDTableStaking.DelegatorTokensCommitted',
            {
              nodeID: 'f441ce06e155367c05c941b68fdb1bb3f0cb9efe0d8cc9a9932d7d1dbfd13f2c',
              delegatorID: '20',
              amount,
            },
          ],
          // FlowToken emits no deposit event for the staking account.
          deposited(`${flow}.Vault`, {
            amount,
            to: staking,
            toUUID: '19791211196648',
            depositedUUID: '245191095274890',
          }),
          [`${flow}.TokensWithdrawn`, { amount: fee, from: payer }],
          withdrawn(`${flow}.Vault`, {
            amount: fee,
            from: payer,
            fromUUID: '168225280785855',
            withdrawnUUID: '245191095274891',
          }),
          [`${flow}.TokensDeposited`, { amount: fee, to: flowFees }],
          deposited(`${flow}.Vault`, { amount: fee, to: flowFees, toUUID: '0', depositedUUID: '245191095274891' }),
          [
            'A.f919ee77447b7497.FlowFees.FeesDeducted',
            { amount: fee, inclusionEffort: '1.00000000', executionEffort: '0.00000088' },
          ],
        ),
      ),
    ).to.deep.equal([`${flow} ${delegator} ${staking} 16989 stake`, `${flow} ${payer} ${flowFees} 0.00002299 fee`])
  })

  // Transaction 43ffb4fe223891e21a059a031444d170990f9b5027fd8af294478fe8c6c888d9 of mainnet.
  it('reads mainnet tokens left in a contract as retained, with the storage fee', () => {
    const usdf = 'A.1e4aa0b87d10b141.EVMVMBridgedToken_2aabea2058b5ac2d339b163c6ab6f2b6d53aabed'
    const [sender, sessionManager] = ['0xe7aded0979f825d0', '0x473d6a2c37eab5be']
    const purse = '138538467662757'
    const fromPurse = (amount: string, uuid: string): TestEvent[] => [
      [`${flow}.TokensWithdrawn`, { amount, from: null }],
      withdrawn(`${flow}.Vault`, { amount, from: null, fromUUID: purse, withdrawnUUID: uuid }),
      [`${flow}.TokensDeposited`, { amount, to: sessionManager }],
      deposited(`${flow}.Vault`, { amount, to: sessionManager, toUUID: '437579696', depositedUUID: uuid }),
    ]
    expect(
      brief(
        read(
          withdrawn(`${usdf}.Vault`, {
            amount: '0.00100000',
            from: sender,
            fromUUID: '235295489736366',
            withdrawnUUID: '138538467662753',
          }),
          [`${flow}.TokensWithdrawn`, { amount: '0.00002226', from: sender }],
          withdrawn(`${flow}.Vault`, {
            amount: '0.00002226',
            from: sender,
            fromUUID: '1300263678',
            withdrawnUUID: purse,
          }),
          ...fromPurse('0.00000201', '138538467662759'),
          ...fromPurse('0.00001233', '138538467662761'),
          deposited(`${flow}.Vault`, { amount: '0.00000792', to: sender, toUUID: '1300263678', depositedUUID: purse }),
        ),
      ),
    ).to.deep.equal([
      `${usdf} ${sender} - 0.001 withdrawal`,
      `${flow} ${sender} ${sessionManager} 0.00000201 transfer`,
      `${flow} ${sender} ${sessionManager} 0.00001233 transfer`,
      `${flow} ${sender} ${sender} 0.00000792 transfer`,
    ])
  })
})
