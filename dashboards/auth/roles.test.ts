import { expect } from 'chai'
import { rolesOf } from './roles.ts'

describe('roles of a user', () => {
  it('come from app_metadata, as lists and as texts with commas', () => {
    expect(rolesOf({ app_metadata: { role: 'Admin, wallet', roles: ['ADMIN', 'ops'], teams: ' a ,b' } })).to.deep.equal(
      { roles: ['admin', 'wallet', 'ops'], teams: ['a', 'b'] },
    )
  })

  it('are none where only the user says so', () => {
    const user = {
      user_metadata: { role: 'admin' },
      role: 'admin',
      app_metadata: { provider: 'email', roles: [7, null, ''] },
    }
    expect(rolesOf(user)).to.deep.equal({ roles: [], teams: [] })
  })
})
