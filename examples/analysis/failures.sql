-- Why renders failed, by stage and code of the failure, with the number of attempts that were lost before.
select
  failure.stage as stage,
  failure.code as code,
  count(*) as renders,
  cast(sum(len(list_filter(attempts, lambda attempt: attempt.lost is not null))) as bigint) as lost_attempts
from renders
where status = 'failed'
group by all
order by renders desc, stage, code
