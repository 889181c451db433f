-- Transactions whose result no access node can serve, by height: among those that failed they are few, and far from each other.

create index transactions_unknown on raw.transactions (block_height, tx_index) where status_code is null;
