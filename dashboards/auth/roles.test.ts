import { expect } from 'chai'
import { rolesOf } from './roles.ts'

describe('roles of a user', () => {
  it('come from app_metadata, as lists or comma-separated', () => {
    expect(rolesOf({ app_metadata: { role: 'Admin, wallet', roles: ['ADMIN', 'ops'], teams: ' a ,b' } })).to.deep.equal(
      { roles: ['admin', 'wallet', 'ops'], teams: ['a', 'b'] },
    )
  })

  it('are empty if only user_metadata has them', () => {
    const user = {
      user_metadata: { role: 'admin' },
      role: 'admin',
      app_metadata: { provider: 'email', roles: [7, null, ''] },
    }
    expect(rolesOf(user)).to.deep.equal({ roles: [], teams: [] })
  })
})
