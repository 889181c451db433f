-- Each call of the wallet counts for a limit, which was a commit that waited for the disk. A crash of the server empties the table: whoever was
-- limited begins anew, as they would after the period. What must not be guessed has counts of its own that last, such as wrong codes of an e-mail.
alter table wallet_auth.rate_limits set unlogged;
comment on table wallet_auth.rate_limits is 'How often somebody did something lately. A crash of the server empties it.';
