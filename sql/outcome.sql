-- Every application with its pattern and later findings: whether its citations hold, whether the goal was met, whether a build
-- that judges it failed, how relevant the pattern was. A finding about the application itself takes precedence over one about its
-- iteration, and that over one about its run. Rows of ClosedLoop's log are the exception: what our own steps found about their
-- iteration comes before what its steps wrote on the row. A citation that an agent gave counts for that agent's own applications.
-- Findings of other projects never count. An application that matches no pattern has none. A pattern that was not used was only
-- offered, and silence is no evidence, where it could not have been used: beside a tool call, where nobody asks for an
-- acknowledgment; by an agent that was seen to change no file and run no command; where its relevance to what was touched is too
-- low; and where ClosedLoop's log tells an exposure that our own hooks told. What nobody observed and nobody rated counts as it
-- was reported.
-- Needs: application, attribution, builder, finding, silence
-- Makes: outcome (view)
-- Grain: (application, pattern).
select
    shown.id,
    shown.ts,
    shown.ts_us,
    shown.date,
    shown.project,
    shown.run_id,
    shown.iteration,
    shown.agent,
    shown.unit,
    case
        when told.pattern is not null then 'offered'
        when shown.status <> 'injected' then shown.status
        when shown.tool is not null then 'offered'
        when not coalesce(shown.acted, true) then 'offered'
        when
            coalesce(
                case when shown.id like 'cl-%' then turn.relevance_millionths end,
                own.relevance_millionths,
                cast(round(shown.touched_relevance * 1e6) as bigint),
                turn.relevance_millionths,
                run.relevance_millionths
            ) < silence.relevance_millionths
            then 'offered'
        else shown.status
    end as status,
    shown.tool,
    shown.acted,
    shown.landing_seq,
    shown.landing_file,
    shown.landing_line,
    coalesce(shown.pattern_id, '') as pattern_id,
    coalesce(shown.trigger, '') as trigger,
    named.pattern,
    named.tier,
    coalesce(
        case when shown.id like 'cl-%' then coalesce(turn_claim.is_unverified, turn.is_unverified) end,
        own.is_unverified,
        turn_claim.is_unverified,
        turn.is_unverified,
        run_claim.is_unverified,
        run.is_unverified,
        false
    ) as is_unverified,
    coalesce(
        own.is_unverified, turn_claim.is_unverified, turn.is_unverified, run_claim.is_unverified, run.is_unverified
    ) is not null as is_checked,
    coalesce(
        case when shown.id like 'cl-%' then turn_goal.is_goal_met end,
        own.is_goal_met,
        turn_goal.is_goal_met,
        run_goal.is_goal_met
    ) as is_goal_met,
    coalesce(
        case when shown.id like 'cl-%' then turn.relevance_millionths end,
        own.relevance_millionths,
        -- What the agent itself touched says more than what its iteration changed.
        cast(round(shown.touched_relevance * 1e6) as bigint),
        turn.relevance_millionths,
        run.relevance_millionths
    ) as relevance_millionths,
    -- Null if no build judges it.
    case
        when shown.id like 'cl-%' and builder.agent is not null and turn_goal.is_build_failed is not null then turn_goal.is_build_failed
        when own.is_build_failed is not null then own.is_build_failed
        when builder.agent is not null then coalesce(turn_goal.is_build_failed, run_goal.is_build_failed)
    end as is_build_failed
from application as shown
left join attribution as named
    on named.pattern_id = coalesce(shown.pattern_id, '') and named.trigger = coalesce(shown.trigger, '')
left join (
    -- Rows of ClosedLoop's log have ids that begin with `cl-`. Few runs have both.
    select own.project, own.run_id, own.iteration, own.agent, matched.pattern
    from application as own
    inner join (select distinct project, run_id from application where id like 'cl-%') as logged
        on logged.project = own.project and logged.run_id = own.run_id
    inner join attribution as matched
        on matched.pattern_id = coalesce(own.pattern_id, '') and matched.trigger = coalesce(own.trigger, '')
    where own.id not like 'cl-%'
    group by own.project, own.run_id, own.iteration, own.agent, matched.pattern
) as told
    on shown.id like 'cl-%'
    and told.project = shown.project
    and told.run_id = shown.run_id
    and told.iteration = shown.iteration
    and told.agent = shown.agent
    and told.pattern = named.pattern
left join builder
    on builder.agent = shown.agent
left join silence
    on true
left join finding as own
    on own.application_id = shown.id and own.project = shown.project
left join finding as turn
    on turn.application_id is null
    and turn.project = shown.project
    and turn.run_id = shown.run_id
    and turn.iteration = shown.iteration
    and turn.agent is null
    and turn.pattern = named.pattern
left join finding as turn_claim
    on turn_claim.application_id is null
    and turn_claim.project = shown.project
    and turn_claim.run_id = shown.run_id
    and turn_claim.iteration = shown.iteration
    and turn_claim.agent = shown.agent
    and turn_claim.pattern = named.pattern
left join finding as run
    on run.application_id is null
    and run.iteration is null
    and run.project = shown.project
    and run.run_id = shown.run_id
    and run.agent is null
    and run.pattern = named.pattern
left join finding as run_claim
    on run_claim.application_id is null
    and run_claim.iteration is null
    and run_claim.project = shown.project
    and run_claim.run_id = shown.run_id
    and run_claim.agent = shown.agent
    and run_claim.pattern = named.pattern
left join finding as turn_goal
    on turn_goal.application_id is null
    and turn_goal.pattern is null
    and turn_goal.project = shown.project
    and turn_goal.run_id = shown.run_id
    and turn_goal.iteration = shown.iteration
left join finding as run_goal
    on run_goal.application_id is null
    and run_goal.pattern is null
    and run_goal.iteration is null
    and run_goal.project = shown.project
    and run_goal.run_id = shown.run_id
