/**
 * Advisory lock: whoever makes deliveries shares it until the end of the transaction, a rollback of the chain has it alone.
 * So what is told of a height was read wholly before a rollback or wholly after it, and each cursor is moved back that passed it.
 */
export const rollbackLock = 7_364_832
