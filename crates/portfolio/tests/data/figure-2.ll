; ModuleID = '<stdin>'
source_filename = "figure-2.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nounwind uwtable
define dso_local i32 @main() #0 !dbg !9 {
entry:
  %call = call i32 @nondet() #4, !dbg !21
  call void @llvm.dbg.value(metadata i32 %call, metadata !14, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i32 %call, metadata !16, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i32 0, metadata !17, metadata !DIExpression()), !dbg !22
  %cmp.not1 = icmp eq i32 %call, 0, !dbg !23
  br i1 %cmp.not1, label %while.end, label %while.body.lr.ph, !dbg !24

while.body.lr.ph:                                 ; preds = %entry
  br label %while.body, !dbg !24

while.body:                                       ; preds = %while.body.lr.ph, %while.body
  %x.03 = phi i32 [ %call, %while.body.lr.ph ], [ %dec, %while.body ]
  %y.02 = phi i32 [ 0, %while.body.lr.ph ], [ %inc, %while.body ]
  call void @llvm.dbg.value(metadata i32 %x.03, metadata !16, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i32 %y.02, metadata !17, metadata !DIExpression()), !dbg !22
  %dec = add i32 %x.03, -1, !dbg !25
  call void @llvm.dbg.value(metadata i32 %dec, metadata !16, metadata !DIExpression()), !dbg !22
  %inc = add i32 %y.02, 1, !dbg !27
  call void @llvm.dbg.value(metadata i32 %inc, metadata !17, metadata !DIExpression()), !dbg !22
  %cmp.not = icmp eq i32 %dec, 0, !dbg !23
  br i1 %cmp.not, label %while.cond.while.end_crit_edge, label %while.body, !dbg !24, !llvm.loop !28

while.cond.while.end_crit_edge:                   ; preds = %while.body
  %split = phi i32 [ %inc, %while.body ]
  br label %while.end, !dbg !24

while.end:                                        ; preds = %while.cond.while.end_crit_edge, %entry
  %y.0.lcssa = phi i32 [ %split, %while.cond.while.end_crit_edge ], [ 0, %entry ], !dbg !22
  %cmp1 = icmp ne i32 %call, %y.0.lcssa, !dbg !32
  %retval.0 = zext i1 %cmp1 to i32, !dbg !33
  ret i32 %retval.0, !dbg !34
}

; Function Attrs: argmemonly nofree nosync nounwind willreturn
declare void @llvm.lifetime.start.p0i8(i64 immarg, i8* nocapture) #1

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.declare(metadata, metadata, metadata) #2

declare !dbg !35 i32 @nondet() #3

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.label(metadata) #2

; Function Attrs: argmemonly nofree nosync nounwind willreturn
declare void @llvm.lifetime.end.p0i8(i64 immarg, i8* nocapture) #1

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.value(metadata, metadata, metadata) #2

attributes #0 = { nounwind uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { argmemonly nofree nosync nounwind willreturn }
attributes #2 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { "frame-pointer"="none" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "figure-2.c", directory: ".", checksumkind: CSK_MD5, checksum: "038045f351665ec272507c905afc5efa")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 7, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{!"Debian clang version 14.0.6"}
!9 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 2, type: !10, scopeLine: 2, flags: DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !13)
!10 = !DISubroutineType(types: !11)
!11 = !{!12}
!12 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!13 = !{!14, !16, !17, !18}
!14 = !DILocalVariable(name: "n", scope: !9, file: !1, line: 3, type: !15)
!15 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!16 = !DILocalVariable(name: "x", scope: !9, file: !1, line: 4, type: !15)
!17 = !DILocalVariable(name: "y", scope: !9, file: !1, line: 4, type: !15)
!18 = !DILabel(scope: !19, name: "Error", file: !1, line: 11)
!19 = distinct !DILexicalBlock(scope: !20, file: !1, line: 10, column: 18)
!20 = distinct !DILexicalBlock(scope: !9, file: !1, line: 10, column: 7)
!21 = !DILocation(line: 3, column: 20, scope: !9)
!22 = !DILocation(line: 0, scope: !9)
!23 = !DILocation(line: 5, column: 12, scope: !9)
!24 = !DILocation(line: 5, column: 3, scope: !9)
!25 = !DILocation(line: 6, column: 6, scope: !26)
!26 = distinct !DILexicalBlock(scope: !9, file: !1, line: 5, column: 17)
!27 = !DILocation(line: 7, column: 6, scope: !26)
!28 = distinct !{!28, !24, !29, !30, !31}
!29 = !DILocation(line: 8, column: 3, scope: !9)
!30 = !{!"llvm.loop.mustprogress"}
!31 = !{!"llvm.loop.unroll.disable"}
!32 = !DILocation(line: 10, column: 11, scope: !20)
!33 = !DILocation(line: 10, column: 7, scope: !9)
!34 = !DILocation(line: 15, column: 1, scope: !9)
!35 = !DISubprogram(name: "nondet", scope: !1, file: !1, line: 1, type: !36, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized, retainedNodes: !38)
!36 = !DISubroutineType(types: !37)
!37 = !{!15}
!38 = !{}
