-- The cost of complete renders, by account and UTC day of completion, with the current name of the account.
with names as (
  select account_id, arg_max(name, log_offset) as name
  from (
    select account_id, name, log_offset from AccountCreated
    union all
    select account_id, name, log_offset from AccountRenamed
  )
  group by account_id
)
select
  strftime(updated_at, '%Y-%m-%d') as day,
  account_id,
  coalesce(names.name, account_id) as account,
  count(*) as renders,
  cast(sum(charged_credits) as bigint) as credits
from renders
left join names using (account_id)
where status = 'complete'
group by all
order by day, credits desc, account_id
