import { forgetAccount } from '../auth/forget-account.ts'
import { forgetRepositories } from '../editor/github/connections/forget-repositories.ts'
import { forgetProjects } from '../projects/store/forget-projects.ts'
import type { ForgetUser } from '../wallet/auth/remove-user.ts'
import { forgetPasskeys } from '../wallet/passkeys/stores/forget-passkeys.ts'

/**
 * What all parts of the program forget of a user who goes, in the transaction that removes them. The tables are there whether or not the editor runs,
 * in this process or in another.
 */
export const forgetUser: ForgetUser = async (client, userId) => {
  await forgetPasskeys(client, userId)
  await forgetRepositories(client, userId)
  await forgetProjects(client, userId)
  await forgetAccount(client, userId)
}
